package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.testing.process.Jvm;
import java.lang.ref.WeakReference;
import java.util.List;
import org.junit.jupiter.api.Test;

class VerifierTest {
  /// The process's first Jbuf is allocated by a part of a program that is gone soon.
  static final class ShortLived {
    private static final InheritableThreadLocal<Object> INHERITED = new InheritableThreadLocal<>();

    public static void main(String[] arguments) throws Exception {
      List<WeakReference<Object>> left = run();
      for (int round = 0; round < 50 && !areGone(left); round++) {
        System.gc();
      }
      System.out.println(areGone(left) ? "gone" : "held");
    }

    private static boolean areGone(List<WeakReference<Object>> left) {
      return left.stream().allMatch(each -> each.refersTo(null));
    }

    private static List<WeakReference<Object>> run() throws InterruptedException {
      ClassLoader loader = new ClassLoader(ShortLived.class.getClassLoader()) {};
      Object value = new Object();
      Thread part =
          new Thread(
              () -> {
                INHERITED.set(value);
                Jbuf.allocate(64).free();
              });
      part.setContextClassLoader(loader);
      part.start();
      part.join();
      return List.of(new WeakReference<>(loader), new WeakReference<>(value));
    }
  }

  @Test
  void keepsNothingOfTheThreadThatAllocatedFirst() throws Exception {
    assertEquals("gone\n", Jvm.of(ShortLived.class).options("-Xmx64m").command().output());
  }
}
