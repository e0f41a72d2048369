package dev.tigris.verify.stress;

import dev.tigris.memory.Container;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/// A volatile reference that comes to refer to an object of another container, and then to one of
/// its own again, shows these in their order, and never the null that lies in its place meanwhile:
/// the two writes in `Pso.assignForeign`, whose order, or whose lock, is enough for that.
@JCStressTest
@Outcome(
    id = {
      "1, 1, 1", "1, 1, 2", "1, 1, 3", "1, 2, 2", "1, 2, 3", "1, 3, 3", "2, 2, 2", "2, 2, 3",
      "2, 3, 3", "3, 3, 3"
    },
    expect = Expect.ACCEPTABLE,
    desc = "the objects that were written, in their order")
@Outcome(expect = Expect.FORBIDDEN, desc = "another order, or null")
@State
public class ForeignReferenceTest {
  private final Container container = Letter.container();
  private final Letter letter = new Letter(container);
  private final Letter foreign = numbered(Letter.container(), 2);
  private final Letter last = numbered(container, 3);

  /// A letter whose answer lies in its own container.
  public ForeignReferenceTest() {
    letter.answer = numbered(container, 1);
  }

  private static Letter numbered(Container container, int number) {
    Letter letter = new Letter(container);
    letter.content = number;
    return letter;
  }

  private int seen() {
    Letter answer = letter.answer;
    return answer == null ? 0 : answer.content;
  }

  /// The writer.
  @Actor
  public void write() {
    letter.answer = foreign;
    letter.answer = last;
  }

  /// The reader.
  @Actor
  public void read(III_Result result) {
    result.r1 = seen();
    result.r2 = seen();
    result.r3 = seen();
  }
}
