package dev.tigris.net;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The contract suite on TCP.
class TcpTest {
  static final FabricContract.Subject TCP =
      new FabricContract.Subject() {
        @Override
        public Fabric open() {
          return Fabric.open("tcp");
        }

        @Override
        public String anyAddress() {
          return "127.0.0.1:0";
        }
      };

  @Nested
  class Messages extends MessageContract {
    Messages() {
      super(TCP);
    }
  }

  @Nested
  class Completions extends CompletionContract {
    Completions() {
      super(TCP);
    }
  }

  @Nested
  class Memory extends MemoryContract {
    Memory() {
      super(TCP);
    }
  }

  @Nested
  class Processes extends ProcessContract {
    Processes() {
      super(TCP);
    }
  }

  @Nested
  class Arrays extends ArrayContract {
    Arrays() {
      super(TCP);
    }

    @Test
    @Timeout(value = LONG_MINUTES, unit = TimeUnit.MINUTES)
    void allocatesNothingPerAsynchronousMessage() {
      expectNothingAllocatedPerAsynchronousMessage();
    }
  }

  @Nested
  class Connections extends ConnectionContract {
    Connections() {
      super(TCP);
    }
  }
}
