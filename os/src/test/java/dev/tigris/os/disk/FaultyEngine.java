package dev.tigris.os.disk;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/// An engine whose next pieces end as a test says. The others are done by plain calls.
class FaultyEngine implements Engine {
  /// The fate of a piece.
  sealed interface Fate {
    /// It is done.
    record Done() implements Fate {}

    /// Only so many bytes of it are.
    record Partly(int bytes) implements Fate {}

    /// Nothing of it is: it returns this.
    record Result(int value) implements Fate {}

    /// It is under way until [FaultyEngine#letGo].
    record Held() implements Fate {}
  }

  private record Answer(int slot, int result) {}

  private final Engine plain = new PlainEngine(1);
  private final Queue<Fate> fates = new ArrayDeque<>();
  private final Queue<Answer> answers = new ArrayDeque<>();
  private final List<Runnable> held = new ArrayList<>();

  /// The pieces that were begun, such as `WRITE 0+4096`.
  final List<String> begun = new ArrayList<>();

  private int slot;
  private int result;

  void next(Fate... next) {
    fates.addAll(List.of(next));
  }

  /// A piece is about to be under way.
  void onBegin(int where, DiskOperation.Kind kind, long position, MemorySegment part) {}

  /// A piece that was not refused is done.
  void onDone(int where) {}

  /// Takes a held piece out, and returns what begins it.
  Runnable heldAt(int index) {
    return held.remove(index);
  }

  void letGo() {
    held.forEach(Runnable::run);
    held.clear();
  }

  @Override
  public String name() {
    return "faulty";
  }

  @Override
  public int register(int descriptor) {
    return -1;
  }

  @Override
  public void unregister(int place) {}

  @Override
  public boolean registerMemory(MemorySegment memory) {
    return false;
  }

  @Override
  public void begin(
      int where,
      DiskOperation.Kind kind,
      int descriptor,
      int place,
      long position,
      MemorySegment part) {
    onBegin(where, kind, position, part);
    begun.add("%s %d+%d".formatted(kind, position, part.byteSize()));
    Fate fate = fates.isEmpty() ? new Fate.Done() : fates.remove();
    switch (fate) {
      case Fate.Done() -> plain.begin(where, kind, descriptor, place, position, part);
      case Fate.Partly(int bytes) ->
          plain.begin(where, kind, descriptor, place, position, part.asSlice(0, bytes));
      case Fate.Result(int value) -> answers.add(new Answer(where, value));
      case Fate.Held() ->
          held.add(() -> plain.begin(where, kind, descriptor, place, position, part));
    }
  }

  @Override
  public void cancel(int where) {
    plain.cancel(where);
  }

  @Override
  public void submit() {
    plain.submit();
  }

  @Override
  public boolean next() {
    Answer answer = answers.poll();
    if (answer != null) {
      slot = answer.slot();
      result = answer.result();
      return true;
    }
    boolean found = plain.next();
    if (found) {
      slot = plain.slot();
      result = plain.result();
      onDone(slot);
    }
    return found;
  }

  @Override
  public int slot() {
    return slot;
  }

  @Override
  public int result() {
    return result;
  }

  @Override
  public void awaitOne() {
    if (answers.isEmpty()) {
      plain.awaitOne();
    }
  }

  @Override
  public boolean hasWork() {
    return !answers.isEmpty() || plain.hasWork();
  }

  @Override
  public void announce(boolean waits) {
    plain.announce(waits);
  }

  @Override
  public void runOnce(Runnable waker) {
    plain.runOnce(waker);
  }

  @Override
  public void park(long nanos) {
    plain.park(nanos);
  }

  @Override
  public void wake() {
    plain.wake();
  }

  @Override
  public void close() {
    plain.close();
  }
}
