package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class AccessorsTest {
  private static final CountDownLatch INITIALIZING = new CountDownLatch(1);
  private static final AtomicReference<Thread> LINKER = new AtomicReference<>();

  enum Mode {
    ON;

    static final int COUNT = countWithAnObject();

    /// Waits until the other thread waits for this enum, in the middle of compiling accessors.
    private static int countWithAnObject() {
      INITIALIZING.countDown();
      while (!isCompiling(LINKER.get())) {
        Thread.onSpinWait();
      }
      Lamp lamp = new Lamp(Jbuf.allocate(128).asContainer());
      lamp.count = 7;
      return lamp.count;
    }

    private static boolean isCompiling(Thread linker) {
      return Arrays.stream(linker.getStackTrace())
          .anyMatch(frame -> frame.getClassName().equals(EnumCodes.class.getName()));
    }
  }

  static final class Lamp extends Pso {
    Mode mode;
    int count;

    Lamp(Container container) {
      super(container);
    }
  }

  @Test
  void anEnumMayUseObjectsThatHaveFieldsOfItWhileItIsInitialized() {
    Lamp lamp = new Lamp(Jbuf.allocate(128).asContainer());
    Thread linker =
        Thread.ofPlatform()
            .daemon()
            .unstarted(
                () -> {
                  try {
                    INITIALIZING.await();
                    lamp.mode = null;
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    LINKER.set(linker);
    linker.start();
    assertTimeoutPreemptively(
        Duration.ofSeconds(30),
        () -> {
          assertEquals(7, Mode.COUNT);
          linker.join();
        });
  }
}
