package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.Fabric;
import dev.tigris.net.testing.raw.WithoutDeferredWork;
import dev.tigris.os.IoUring;
import dev.tigris.testing.Slow;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The contract suite on rings that the kernel puts completions into whenever it is called, since
/// it does not know to defer that.
@EnabledIf(
    value = "dev.tigris.net.testing.UringTest#isAllowed",
    disabledReason = "io_uring is missing here, or forbidden")
class UringOnLinux60Test {
  /// Made here, since JUnit may not look into its package unless tests of that run too.
  @RegisterExtension static final WithoutDeferredWork OLDER_KERNEL = new WithoutDeferredWork();

  private static final FabricContract.Subject SUBJECT =
      new FabricContract.Subject() {
        @Override
        public Fabric open() {
          long before = WithoutDeferredWork.refusals();
          Fabric fabric = UringTest.BESIDE_OTHERS.open();
          assertTrue(WithoutDeferredWork.refusals() > before, "it has got another ring");
          return fabric;
        }

        @Override
        public String anyAddress() {
          return UringTest.BESIDE_OTHERS.anyAddress();
        }

        /// Else messages would hardly arrive by the ring.
        @Override
        public int connectionsBeside() {
          return UringTest.BESIDE_OTHERS.connectionsBeside();
        }
      };

  @Nested
  class Messages extends MessageContract {
    Messages() {
      super(SUBJECT);
    }
  }

  @Nested
  @Slow("the quick tier has the messages of such rings")
  class Completions extends CompletionContract {
    Completions() {
      super(SUBJECT);
    }
  }

  @Nested
  @Slow("the quick tier has the messages of such rings")
  class Memory extends MemoryContract {
    Memory() {
      super(SUBJECT);
    }
  }

  @Nested
  @Slow("the quick tier has the messages of such rings")
  class FileMemory extends FileMemoryContract {
    FileMemory() {
      super(SUBJECT);
    }
  }

  @Nested
  @Slow("the quick tier has the messages of such rings")
  class Connections extends ConnectionContract {
    Connections() {
      super(SUBJECT);
    }
  }

  @Test
  void aRingDoesWithoutDeferredWork() throws Exception {
    try (IoUring ring = new IoUring(IoUring.Polling.NONE, null)) {
      assertEquals("work at system calls", ring.mode());
    }
  }
}
