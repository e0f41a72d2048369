package dev.tigris.net.libfabric;

import dev.tigris.net.Fabric;
import dev.tigris.net.testing.ArrayContract;
import dev.tigris.net.testing.CompletionContract;
import dev.tigris.net.testing.ConnectionContract;
import dev.tigris.net.testing.FabricContract;
import dev.tigris.net.testing.FileMemoryContract;
import dev.tigris.net.testing.MemoryContract;
import dev.tigris.net.testing.MessageContract;
import dev.tigris.net.testing.ProcessContract;
import dev.tigris.net.testing.SharedQueueContract;
import dev.tigris.testing.Slow;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIf;

/// The contract suite on endpoints of libfabric that are not connected: over sockets, or where
/// there is hardware over that, with `-Dtigris.test.libfabric.address=HOST:0` if it is to be
/// between the addresses of a device.
@EnabledIf(value = "isInstalled", disabledReason = "libfabric is missing: apt install libfabric1")
class LibfabricRdmTest {
  private static final String ADDRESS =
      System.getProperty("tigris.test.libfabric.address", "127.0.0.1:0");

  static final FabricContract.Subject RDM =
      new FabricContract.Subject() {
        @Override
        public Fabric open() {
          return Fabric.open("libfabric-rdm");
        }

        @Override
        public String anyAddress() {
          return ADDRESS;
        }
      };

  static boolean isInstalled() {
    return new LibfabricRdmProvider().obstacle().isEmpty();
  }

  @Nested
  class Messages extends MessageContract {
    Messages() {
      super(RDM);
    }
  }

  @Nested
  class Completions extends CompletionContract {
    Completions() {
      super(RDM);
    }
  }

  @Nested
  @Slow("the quick tier has the messages, completions, connections and kills")
  class SharedQueues extends SharedQueueContract {
    SharedQueues() {
      super(RDM);
    }
  }

  @Nested
  @Slow("the quick tier has the messages, completions, connections and kills")
  class Memory extends MemoryContract {
    Memory() {
      super(RDM);
    }
  }

  @Nested
  @Slow("the quick tier has the messages, completions, connections and kills")
  class FileMemory extends FileMemoryContract {
    FileMemory() {
      super(RDM);
    }
  }

  @Nested
  class Processes extends ProcessContract {
    Processes() {
      super(RDM);
    }
  }

  @Nested
  @Slow("the quick tier has the messages, completions, connections and kills")
  class Arrays extends ArrayContract {
    Arrays() {
      super(RDM);
    }
  }

  @Nested
  class Connections extends ConnectionContract {
    Connections() {
      super(RDM);
    }
  }
}
