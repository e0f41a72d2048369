package dev.tigris.flow;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.memory.PageKind;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/// A spring that makes waters in Jbufs and takes them back to be used again. Every kind of stream
/// can have one.
///
/// It makes a water only when none has come back, so a stream in a steady state allocates nothing:
/// the number of waters is bounded by the stream's window and what modules hold in their hands. A
/// water that has come back and is too small for what is asked is retired: its buffer is freed when
/// the collector has found no reference to it. So after a while all are large enough.
///
/// ```
/// made = spare + returned + in the hands of modules + on streams
/// ```
///
/// Waters come back in two ways: from the thread that makes them, into a list, and from any other
/// thread (one that was put on a second stream ends there), onto a stack. The owner takes the whole
/// stack at once, which is why it has no ABA problem. The compare-and-set that pushes a water is
/// the release that the owner's `getAndSet` acquires: what the last user did to the water happens
/// before its next use (jcstress: `WaterReturnTest`).
///
/// Thread rule: one thread at a time calls [#createWater], any thread calls [#takeBack], and
/// [#close] is called when no other thread uses the spring any more. A thread that has made waters
/// and then leaves that to another thread gives none back itself, unless the spring is made for
/// that ([#byTurns]).
public final class BufferSpring implements Spring {
  private static final VarHandle RETURNED;

  static {
    try {
      RETURNED = MethodHandles.lookup().findVarHandle(BufferSpring.class, "returned", Water.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final String owner;
  private final PageKind pages;
  private final int leastBytes;

  /// Whether waters come back by the stack alone.
  private final boolean isByTurns;

  private final ArrayList<Water> made = new ArrayList<>();
  private final ArrayDeque<Water> spare = new ArrayDeque<>();

  /// The thread that makes waters. Others read it without order, and need to know only that it is
  /// not themselves: so one that was this before gives none back.
  private @Nullable Thread maker;

  private volatile @Nullable Water returned;

  /// A spring whose buffers are accounted for under the name of `owner`.
  public BufferSpring(String owner) {
    this(owner, PageKind.ORDINARY, 0);
  }

  /// A spring whose larger waters have pages of one kind, as far as there are such pages.
  ///
  /// @param leastBytes waters with room for so many bytes have them, and smaller ones ordinary
  /// pages
  public BufferSpring(String owner, PageKind pages, int leastBytes) {
    this(owner, pages, leastBytes, false);
  }

  private BufferSpring(String owner, PageKind pages, int leastBytes, boolean isByTurns) {
    this.owner = owner;
    this.pages = pages;
    this.leastBytes = leastBytes;
    this.isByTurns = isByTurns;
  }

  /// Returns a spring that threads hand on to one another, each of which makes waters for a while.
  /// Any of them gives waters back at any time.
  public static BufferSpring byTurns(String owner) {
    return new BufferSpring(owner, PageKind.ORDINARY, 0, true);
  }

  @Override
  public Water createWater(int bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("a water of " + bytes + " bytes");
    }
    maker = Thread.currentThread();
    if (spare.isEmpty()) {
      takeReturned();
    }
    for (Water water = spare.pollLast(); water != null; water = spare.pollLast()) {
      if (water.capacity() >= bytes) {
        return water.begin(bytes);
      }
      retire(water);
    }
    Water water = new Water(this, allocate(bytes));
    water.index = made.size();
    made.add(water);
    return water.begin(bytes);
  }

  private Jbuf allocate(int bytes) {
    long size = Water.bufferBytes(bytes);
    if (pages == PageKind.ORDINARY || bytes < leastBytes) {
      return Jbuf.allocate(size, owner);
    }
    try {
      return Jbuf.allocate(size, owner, pages);
    } catch (MemoryBudgetException | UnsupportedOperationException e) { // too many files, say
      return Jbuf.allocate(size, owner);
    }
  }

  /// Returns whether this spring has made a water.
  @SuppressWarnings("ReferenceEquality") // this very spring
  public boolean owns(Water water) {
    return water.home() == this;
  }

  /// Takes back a water that this spring has made and that no module or stream uses any more. Any
  /// thread may call it.
  ///
  /// @throws IllegalArgumentException if another spring has made it
  /// @throws IllegalStateException if it lies here, since it was given back before, or is lent to a
  ///     module; a second return after its next use has begun cannot be told from the first
  public void takeBack(Water water) {
    if (!owns(water)) {
      throw new IllegalArgumentException("this water comes from another spring");
    }
    Water home = water.comeHome();
    if (!isByTurns && Thread.currentThread().equals(maker)) {
      spare.addLast(home);
      return;
    }
    Water top;
    do {
      top = returned;
      home.next = top;
    } while (!RETURNED.compareAndSet(this, top, home));
  }

  /// Frees the buffers of all waters, each as soon as the collector has found no reference to it.
  public void close() {
    for (Water water : made) {
      water.buffer().unreference(Jbuf::free);
    }
    made.clear();
    spare.clear();
    returned = null;
  }

  /// Gives up a water that has come back and is of no more use.
  void retire(Water water) {
    int last = made.size() - 1;
    Water moved = made.get(last);
    made.set(water.index, moved);
    moved.index = water.index;
    made.remove(last);
    water.buffer().unreference(Jbuf::free);
  }

  private void takeReturned() {
    if (returned == null) {
      return;
    }
    Water water = (Water) RETURNED.getAndSet(this, null);
    while (water != null) {
      Water following = water.next;
      water.next = null;
      spare.addFirst(water);
      water = following;
    }
  }

  /// Returns how many waters wait to be used again. For tests only, while no thread uses the
  /// spring.
  int atHome() {
    takeReturned();
    return spare.size();
  }

  void checkInvariants() {
    for (int i = 0; i < made.size(); i++) {
      if (made.get(i).index != i) {
        throw new IllegalStateException("water %d says it is %d".formatted(i, made.get(i).index));
      }
    }
    if (atHome() > made.size()) {
      throw new IllegalStateException(
          "%d waters at home, but only %d made".formatted(atHome(), made.size()));
    }
  }
}
