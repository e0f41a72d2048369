package dev.tigris.verify.stress;

import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PsoList;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/// All threads that read an element of a list that has yet to be recovered are given one object,
/// and an object that is written while another one is recovered in its place stays the element.
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "one object each")
@Outcome(expect = Expect.FORBIDDEN, desc = "two objects for one element")
@State
public class ListElementTest {
  private final Container container = Jbuf.allocate(512).asContainer();
  private final Letter written;
  private final PsoList<Letter> list;
  private Letter first;
  private Letter second;

  /// A list, seen by a thread that has yet to recover its elements.
  public ListElementTest() {
    PsoList<Letter> original = new PsoList<>(container, Letter.class, 2);
    original.add(new Letter(container));
    original.add(new Letter(container));
    this.written = new Letter(container);
    container.root(original);
    Letter _ = container.root(Letter.class); // forgets the object that it remembers
    this.list = container.rootList(Letter.class);
  }

  /// A reader.
  @Actor
  public void readFirst() {
    first = list.get(0);
    Letter _ = list.get(1);
  }

  /// A reader of that list, which also writes.
  @Actor
  public void readAndWrite() {
    second = list.get(0);
    list.set(1, written);
  }

  /// What they have found.
  @Arbiter
  @SuppressWarnings("ReferenceEquality") // which object it is
  public void compare(ZZ_Result result) {
    result.r1 = first == second && list.get(0) == first;
    result.r2 = list.get(1) == written;
  }
}
