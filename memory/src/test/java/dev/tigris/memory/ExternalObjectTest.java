package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Modifier;
import org.junit.jupiter.api.Test;

/// A class laid over a structure that somebody else reads and writes: the papers' doorbell (papers:
/// 000 figure 4).
class ExternalObjectTest {
  static class Register extends Pso {
    private volatile int descriptor;

    Register(Container container) {
      super(container);
    }

    native int descriptor();

    native void descriptor(int value);
  }

  interface Handled {
    long handle();
  }

  static final class Doorbell extends Register implements Handled {
    private long handle;
    private Doorbell next;

    @Capacity(2)
    private Shorts flags;

    Doorbell(Container container) {
      super(container);
    }

    boolean isBusy() {
      return descriptor() != 0;
    }

    void ring(int value, long of) {
      handle(of);
      descriptor(value);
    }

    @Override
    public native long handle();

    native void handle(long value);

    native Doorbell next();

    native Shorts flags();
  }

  private final Bytes device = Jbuf.allocate(128).asBytes();
  private final Doorbell doorbell = device.asRawContainer().at(32, Doorbell.class);

  @Test
  void peeksAndPokesThroughMethodsWithoutABody() {
    assertFalse(doorbell.isBusy());
    doorbell.ring(7, 1L << 40);
    assertTrue(doorbell.isBusy());
    assertEquals(7, device.getInt(32));
    assertEquals(1L << 40, device.getLong(40));
    device.setInt(32, 0);
    assertFalse(doorbell.isBusy());
    assertEquals(1L << 40, doorbell.handle());
  }

  @Test
  void followsReferencesAndReachesWhatLiesInPlace() {
    device.setLong(48, 64);
    device.setInt(64, 5);
    assertEquals(5, doorbell.next().descriptor());
    doorbell.flags().set(1, (short) 3);
    assertEquals(3, device.getShort(58));
  }

  @Test
  void leavesNothingToBeLinked() throws NoSuchMethodException {
    assertFalse(Modifier.isNative(Doorbell.class.getDeclaredMethod("handle").getModifiers()));
  }

  @Test
  void acquiresAndReleasesWhereTheFieldIsVolatile() {
    PsoLayout layout = PsoLayout.of(Register.class);
    Recipe get = Recipe.get(layout.fields().getFirst(), layout);
    assertTrue(get.toString().contains("acquire"), get.toString());
  }

  /// What is called is decided by the object's class, as for any method: no cast leads to an access
  /// that was not specialized.
  @Test
  void isReachedThroughItsSupertypesToo() {
    doorbell.ring(7, 1L << 40);
    Register register = doorbell;
    assertEquals(7, register.descriptor());
    assertEquals(7, register.descriptor);
    Handled handled = doorbell;
    assertEquals(1L << 40, handled.handle());
    Register overridden = device.asRawContainer().at(32, Doubled.class);
    assertEquals(14, overridden.descriptor());
  }

  static final class Doubled extends Register {
    Doubled(Container container) {
      super(container);
    }

    @Override
    int descriptor() {
      return super.descriptor() * 2;
    }
  }
}
