package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class AccessorsTest {
  private static final CountDownLatch INITIALIZING = new CountDownLatch(1);
  private static final AtomicReference<Thread> READER = new AtomicReference<>();

  enum Mode {
    ON;

    static final int COUNT = countWithAnObject();

    /// Waits until the other thread waits for this enum, in the middle of its first read.
    private static int countWithAnObject() {
      INITIALIZING.countDown();
      while (!isDecoding(READER.get())) {
        Thread.onSpinWait();
      }
      Lamp lamp = new Lamp(Jbuf.allocate(128).asContainer());
      lamp.count = 7;
      return lamp.count;
    }

    private static boolean isDecoding(Thread reader) {
      return Arrays.stream(reader.getStackTrace())
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

  /// The number that lies where a lamp has its mode.
  static final class Code extends Pso {
    int value;

    Code(Container container) {
      super(container);
    }
  }

  /// A class file has room for fewer accessors than these have.
  @Test
  void aClassMayHaveAsManyFieldsAsFitAnObject() throws Throwable {
    int fields = 17_000;
    ClassDesc pso = Pso.class.describeConstable().orElseThrow();
    MethodTypeDesc made =
        MethodTypeDesc.of(ConstantDescs.CD_void, Container.class.describeConstable().orElseThrow());
    byte[] classFile =
        ClassFile.of()
            .build(
                ClassDesc.of("dev.tigris.memory.Large"),
                large -> {
                  large.withSuperclass(pso);
                  large.withMethodBody(
                      ConstantDescs.INIT_NAME,
                      made,
                      0,
                      code ->
                          code.aload(0)
                              .aload(1)
                              .invokespecial(pso, ConstantDescs.INIT_NAME, made)
                              .return_());
                  for (int i = 0; i < fields; i++) {
                    large.withField("f" + i, ConstantDescs.CD_byte, 0);
                  }
                });
    Class<?> large = MethodHandles.lookup().defineClass(classFile);
    Accessors accessors = Accessors.of(PsoLayout.of(large.asSubclass(Pso.class)));
    Pso object = new Lamp(Jbuf.allocate(1 << 17).asContainer());
    for (String field : List.of("f0", "f" + (fields - 1))) {
      accessors.setter(field).invokeExact(object, (byte) 7);
      assertEquals((byte) 7, (byte) accessors.getter(field).invokeExact(object));
    }
  }

  @Test
  void anEnumMayUseObjectsThatHaveFieldsOfItWhileItIsInitialized() {
    RawContainer memory = Jbuf.allocate(128).asRawContainer();
    Lamp lamp = memory.at(64, Lamp.class);
    memory.at(64, Code.class).value = "ON".hashCode();
    AtomicReference<Mode> read = new AtomicReference<>();
    Thread reader =
        Thread.ofPlatform()
            .daemon()
            .unstarted(
                () -> {
                  try {
                    INITIALIZING.await();
                    read.set(lamp.mode);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    READER.set(reader);
    reader.start();
    assertTimeoutPreemptively(
        Duration.ofSeconds(30),
        () -> {
          assertEquals(7, Mode.COUNT);
          reader.join();
        });
    assertEquals(Mode.ON, read.get());
  }
}
