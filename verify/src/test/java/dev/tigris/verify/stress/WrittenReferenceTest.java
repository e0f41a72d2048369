package dev.tigris.verify.stress;

import dev.tigris.memory.Container;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/// The object that is written to a volatile reference is the one that is read afterwards, also if
/// another thread was recovering another one in its place.
@JCStressTest
@Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "the object that was written")
@Outcome(id = "false", expect = Expect.FORBIDDEN, desc = "another one in the same place")
@State
public class WrittenReferenceTest {
  private final Container container = Letter.container();
  private final Letter written = new Letter(container);
  private final Letter letter;

  /// A letter with an answer, seen by a thread that has yet to recover that.
  public WrittenReferenceTest() {
    Letter original = new Letter(container);
    original.answer = original;
    container.root(original);
    Letter.Enclosure _ = container.root(Letter.Enclosure.class); // forgets the object
    this.letter = container.root(Letter.class);
  }

  /// Recovers what was there before.
  @Actor
  public void read() {
    Letter _ = letter.answer;
  }

  /// Writes another one, between two reads, so that what is remembered is not null.
  @Actor
  public void write() {
    Letter _ = letter.answer;
    letter.answer = written;
  }

  /// What is left.
  @Arbiter
  @SuppressWarnings("ReferenceEquality") // which object it is
  public void look(Z_Result result) {
    result.r1 = letter.answer == written;
  }
}
