package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Enums whose initialization uses objects that have fields of them. Each is initialized once, so
/// each test has its own.
class EnumInitializationTest {
  private static RawContainer memory() {
    return Jbuf.allocate(128).asRawContainer();
  }

  /// The number that lies where an object at 64 has its enum.
  static final class Code extends Pso {
    int value;

    Code(Container container) {
      super(container);
    }
  }

  static final class Lamp extends Pso {
    static final Lamp SHARED = new Lamp(Jbuf.allocate(128).asContainer());

    @Nullable Mode mode;

    Lamp(Container container) {
      super(container);
    }
  }

  enum Mode {
    OFF,
    ON;

    final @Nullable Mode before;
    final @Nullable Mode own;
    final @Nullable Mode shared;

    Mode() {
      Lamp lamp = new Lamp(Jbuf.allocate(128).asContainer());
      before = lamp.mode;
      lamp.mode = this;
      own = lamp.mode;
      shared = Lamp.SHARED.mode;
      Lamp.SHARED.mode = this;
    }
  }

  @Test
  void aConstantReadsInItsConstructorWhatConstantsHaveWritten() {
    for (Mode mode : Mode.values()) {
      assertNull(mode.before);
      assertSame(mode, mode.own);
    }
    assertNull(Mode.OFF.shared);
    assertSame(Mode.OFF, Mode.ON.shared);
    assertSame(Mode.ON, Lamp.SHARED.mode);
  }

  static final class Gauge extends Pso {
    @Nullable Level level;

    Gauge(Container container) {
      super(container);
    }

    /// What is read where somebody else has stored a name.
    static String read(String name) {
      RawContainer memory = memory();
      memory.at(64, Code.class).value = name.hashCode();
      try {
        return "" + memory.at(64, Gauge.class).level;
      } catch (IllegalStateException e) {
        return "" + e.getMessage();
      } catch (UnknownConstantException e) {
        return "unknown";
      }
    }
  }

  enum Level {
    LOW,
    HIGH;

    static final String AFTER = read();

    final String inside = read();

    private static String read() {
      return Stream.of("LOW", "HIGH", "MEDIUM").map(Gauge::read).collect(Collectors.joining("; "));
    }
  }

  @Test
  void ofWhatOthersHaveStoredAConstantThatIsMadeIsFoundAndAnotherRefused() {
    String notMade =
        " is stored here, and not made yet: read it when the constructors of the constants have"
            + " returned";
    String low = Level.class.getName() + ".LOW" + notMade;
    String high = Level.class.getName() + ".HIGH" + notMade;
    assertEquals(low + "; " + high + "; unknown", Level.LOW.inside);
    assertEquals("LOW; " + high + "; unknown", Level.HIGH.inside);
    String all = "LOW; HIGH; unknown";
    assertEquals(all, Level.AFTER);
    assertEquals(all, Level.read());
  }

  enum Failing {
    ONLY;

    static final int COUNT = fail();

    private static int fail() {
      throw new IllegalStateException("on purpose");
    }
  }

  static final class Careful extends Pso {
    @Nullable Failing failing;

    Careful(Container container) {
      super(container);
    }
  }

  @Test
  void nullIsWrittenAndReadWithoutInitializingTheEnum() {
    RawContainer memory = memory();
    Careful careful = memory.at(64, Careful.class);
    careful.failing = null;
    assertNull(careful.failing);
    memory.at(64, Code.class).value = "ONLY".hashCode();
    assertThrows(ExceptionInInitializerError.class, () -> System.identityHashCode(careful.failing));
  }

  enum Slow {
    ONLY;

    final boolean wasNull = Patient.readsNullInAnotherThread();
  }

  static final class Patient extends Pso {
    @Nullable Slow slow;

    Patient(Container container) {
      super(container);
    }

    private static boolean readsNullInAnotherThread() {
      Patient patient = new Patient(Jbuf.allocate(128).asContainer());
      AtomicBoolean wasNull = new AtomicBoolean();
      Thread other =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    patient.slow = null;
                    wasNull.set(patient.slow == null);
                  });
      try {
        other.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return wasNull.get();
    }
  }

  @Test
  void nullIsWrittenAndReadWithoutWaitingForTheEnum() {
    assertTimeoutPreemptively(Duration.ofSeconds(30), () -> assertTrue(Slow.ONLY.wasNull));
  }
}
