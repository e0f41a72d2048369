package dev.tigris.verify.stress;

import dev.tigris.memory.Container;
import java.lang.reflect.Constructor;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// Who comes by an object through a race sees where it lies, as if its address were final: the
/// fence at the end of `Pso`'s constructors. What was written to it may be missing.
///
/// An object that has no address yet shows the scratch area, which this test fills, and one that
/// has no container yet has no parts.
@JCStressTest
@Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "not there yet")
@Outcome(
    id = {"42, 43", "42, 0", "0, 43", "0, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "the object, with what has arrived of its contents")
@Outcome(expect = Expect.FORBIDDEN, desc = "other memory")
@State
public class PublishedObjectTest {
  private static final int SCRATCH = 666;

  static {
    fillScratch();
  }

  private final Container container = Letter.container();
  private Letter shared;

  private static void fillScratch() {
    try {
      Class<?> factory = Class.forName("sun.reflect.ReflectionFactory");
      Object constructor =
          factory
              .getMethod("newConstructorForSerialization", Class.class, Constructor.class)
              .invoke(
                  factory.getMethod("getReflectionFactory").invoke(null),
                  Letter.class,
                  Object.class.getConstructor());
      Letter unmade = (Letter) ((Constructor<?>) constructor).newInstance();
      unmade.content = SCRATCH;
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /// The publisher.
  @Actor
  public void publish() {
    Letter letter = new Letter(container);
    letter.content = 42;
    letter.enclosure.content = 43;
    shared = letter;
  }

  /// Who comes by it.
  @Actor
  public void find(II_Result result) {
    Letter letter = shared;
    result.r1 = letter == null ? -1 : letter.content;
    result.r2 = letter == null ? -1 : letter.enclosure.content;
  }
}
