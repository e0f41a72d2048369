package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tigris.memory.other.Stranger;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// A call site gives what a call of a text's method in the same place gives.
class TextLinkageTest {
  private final Container container = Jbuf.allocate(128).asContainer();

  @Test
  void linksWhatATextHasAndTheCallerMayCall() throws Throwable {
    Utf8 text = new Labelled(container).label;
    text.set("abc");
    MethodType length = MethodType.methodType(int.class, Utf8.class);
    assertEquals(
        3,
        (int)
            PsoLinkage.text(Stranger.lookup(), "lengthBytes", length)
                .getTarget()
                .invokeExact(text));
    assertThrows(NullPointerException.class, () -> lengthOfNoText(length));
    for (MethodType other :
        List.of(
            MethodType.methodType(int.class),
            MethodType.methodType(int.class, Object.class),
            MethodType.methodType(int.class, String.class))) {
      assertThrows(
          IncompatibleClassChangeError.class,
          () -> PsoLinkage.text(Stranger.lookup(), "lengthBytes", other));
    }
    assertThrows(
        NoSuchMethodError.class, () -> PsoLinkage.text(Stranger.lookup(), "length", length));
    assertThrows(
        NoSuchMethodError.class,
        () ->
            PsoLinkage.text(Stranger.lookup(), "lengthBytes", length.changeReturnType(long.class)));
    assertThrows(
        IllegalAccessError.class,
        () ->
            PsoLinkage.text(
                Stranger.lookup(), "clone", MethodType.methodType(Object.class, Utf8.class)));
  }

  private static int lengthOfNoText(MethodType type) throws Throwable {
    MethodHandle length = PsoLinkage.text(Stranger.lookup(), "lengthBytes", type).getTarget();
    return (int) length.invokeExact((@Nullable Utf8) null);
  }

  static final class Labelled extends Pso {
    @Capacity(8)
    Utf8 label;

    Labelled(Container container) {
      super(container);
    }
  }
}
