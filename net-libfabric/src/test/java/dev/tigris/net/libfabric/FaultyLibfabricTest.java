package dev.tigris.net.libfabric;

import dev.tigris.net.testing.CutContract;
import dev.tigris.net.testing.FaultySubject;
import dev.tigris.net.testing.MessageContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIf;

/// Messages and connections of libfabric behind a wrapper that adds no faults, or cuts.
@EnabledIf(
    value = "dev.tigris.net.libfabric.LibfabricTest#isInstalled",
    disabledReason = "libfabric is missing: apt install libfabric1")
class FaultyLibfabricTest {
  private static final String ADDRESS = "127.0.0.1:0";

  @Nested
  class Cuts extends CutContract {
    Cuts() {
      super("libfabric", ADDRESS);
    }
  }

  @Nested
  class CutsOverRdm extends CutContract {
    CutsOverRdm() {
      super("libfabric-rdm", ADDRESS);
    }
  }

  @Nested
  class Messages extends MessageContract {
    Messages() {
      super(new FaultySubject("libfabric", ADDRESS));
    }
  }

  @Nested
  class MessagesOverRdm extends MessageContract {
    MessagesOverRdm() {
      super(new FaultySubject("libfabric-rdm", ADDRESS));
    }
  }
}
