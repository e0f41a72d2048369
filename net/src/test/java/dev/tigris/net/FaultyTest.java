package dev.tigris.net;

import org.junit.jupiter.api.Nested;

/// The contract suite on TCP behind a wrapper that adds no faults.
class FaultyTest {
  private static final FabricContract.Subject FAULTLESS =
      new FabricContract.Subject() {
        @Override
        public Fabric open() {
          return Fabric.openFaulty("tcp", Faults.NONE);
        }

        @Override
        public String anyAddress() {
          return "127.0.0.1:0";
        }
      };

  @Nested
  class Messages extends MessageContract {
    Messages() {
      super(FAULTLESS);
    }
  }

  @Nested
  class Completions extends CompletionContract {
    Completions() {
      super(FAULTLESS);
    }
  }

  @Nested
  class Memory extends MemoryContract {
    Memory() {
      super(FAULTLESS);
    }
  }

  @Nested
  class Connections extends ConnectionContract {
    Connections() {
      super(FAULTLESS);
    }
  }
}
