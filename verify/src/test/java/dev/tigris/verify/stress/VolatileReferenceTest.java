package dev.tigris.verify.stress;

import dev.tigris.memory.Container;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// Who finds an object in a volatile reference finds what was written to it before, also through
/// an object of its own that stands for the same bytes and has to recover the reference.
@JCStressTest
@Outcome(
    id = {"-1, -1", "-1, 42"},
    expect = Expect.ACCEPTABLE,
    desc = "not sent yet")
@Outcome(id = "42, 42", expect = Expect.ACCEPTABLE, desc = "what was sent")
@Outcome(expect = Expect.FORBIDDEN, desc = "sent before it was written, or taken back")
@State
public class VolatileReferenceTest {
  private final Container container = Letter.container();
  private final Letter letter = new Letter(container);
  private final Letter same = same(letter, container);

  /// Another object for the same bytes.
  private static Letter same(Letter letter, Container container) {
    container.root(letter);
    container.root(Letter.Enclosure.class); // forgets the object that it remembers
    return container.root(Letter.class);
  }

  /// The sender.
  @Actor
  public void send() {
    Letter answer = new Letter(container);
    answer.content = 42;
    letter.answer = answer;
  }

  /// The receiver.
  @Actor
  public void receive(II_Result result) {
    Letter recovered = same.answer;
    result.r1 = recovered == null ? -1 : recovered.content;
    Letter remembered = letter.answer;
    result.r2 = remembered == null ? -1 : remembered.content;
  }
}
