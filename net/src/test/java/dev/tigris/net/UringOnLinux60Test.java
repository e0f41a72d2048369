package dev.tigris.net;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.linux.WithoutDeferredWork;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;

/// The contract suite on rings that the kernel puts completions into whenever it is called, since
/// it does not know to defer that.
@EnabledIf(
    value = "dev.tigris.net.UringTest#isAllowed",
    disabledReason = "io_uring is missing here, or forbidden")
class UringOnLinux60Test {
  private static final FabricContract.Subject SUBJECT =
      new FabricContract.Subject() {
        @Override
        public Fabric open() {
          long before = WithoutDeferredWork.refusals();
          Fabric fabric = UringTest.URING.open();
          assertTrue(WithoutDeferredWork.refusals() > before, "it has got another ring");
          return fabric;
        }

        @Override
        public String anyAddress() {
          return UringTest.URING.anyAddress();
        }
      };

  @Nested
  @ExtendWith(WithoutDeferredWork.class)
  class Messages extends MessageContract {
    Messages() {
      super(SUBJECT);
    }
  }

  @Nested
  @ExtendWith(WithoutDeferredWork.class)
  class Completions extends CompletionContract {
    Completions() {
      super(SUBJECT);
    }
  }

  @Nested
  @ExtendWith(WithoutDeferredWork.class)
  class Memory extends MemoryContract {
    Memory() {
      super(SUBJECT);
    }
  }

  @Nested
  @ExtendWith(WithoutDeferredWork.class)
  class Connections extends ConnectionContract {
    Connections() {
      super(SUBJECT);
    }
  }
}
