package dev.tigris.net;

import dev.tigris.net.libfabric.LibfabricProvider;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIf;

/// The contract suite on connected endpoints of libfabric, over its provider `tcp`; over `verbs`
/// with `-Dtigris.test.libfabric.address=HOST:0`, the host being the address of a device.
@EnabledIf(value = "isInstalled", disabledReason = "libfabric is missing: apt install libfabric1")
class LibfabricTest {
  private static final String ADDRESS =
      System.getProperty("tigris.test.libfabric.address", "127.0.0.1:0");

  static final FabricContract.Subject LIBFABRIC =
      new FabricContract.Subject() {
        @Override
        public Fabric open() {
          return Fabric.open("libfabric");
        }

        @Override
        public String anyAddress() {
          return ADDRESS;
        }
      };

  static boolean isInstalled() {
    return new LibfabricProvider(true).obstacle().isEmpty();
  }

  @Nested
  class Messages extends MessageContract {
    Messages() {
      super(LIBFABRIC);
    }
  }

  @Nested
  class Completions extends CompletionContract {
    Completions() {
      super(LIBFABRIC);
    }
  }

  @Nested
  class Memory extends MemoryContract {
    Memory() {
      super(LIBFABRIC);
    }
  }

  @Nested
  class Processes extends ProcessContract {
    Processes() {
      super(LIBFABRIC);
    }
  }

  @Nested
  class Arrays extends ArrayContract {
    Arrays() {
      super(LIBFABRIC);
    }
  }

  @Nested
  class Connections extends ConnectionContract {
    Connections() {
      super(LIBFABRIC);
    }
  }
}
