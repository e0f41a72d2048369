package dev.tigris.memory;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The elements of a collection from one index to another, as an iterator and as what a stream
/// takes. Each step makes an object.
///
/// Thread rule: one thread; another one may have what was split off.
final class PsoElements<T extends Pso> implements Iterator<T>, Spliterator<T> {
  private final PsoCollection<T> collection;
  private long index;
  private final long end;

  PsoElements(PsoCollection<T> collection, long from, long end) {
    this.collection = collection;
    this.index = from;
    this.end = end;
  }

  @Override
  public boolean hasNext() {
    return index < end;
  }

  @Override
  @SuppressWarnings("NullAway") // an element may be null, which Iterable cannot say
  public T next() {
    if (index >= end) {
      throw new NoSuchElementException("a collection of " + end + " elements has no more");
    }
    return collection.element(index++);
  }

  @Override
  public boolean tryAdvance(Consumer<? super T> action) {
    boolean isThere = index < end;
    if (isThere) {
      action.accept(next());
    }
    return isThere;
  }

  @Override
  public void forEachRemaining(Consumer<? super T> action) {
    while (index < end) {
      action.accept(next());
    }
  }

  @Override
  public @Nullable Spliterator<T> trySplit() {
    long from = index;
    long middle = (from + end) >>> 1;
    if (middle == from) {
      return null;
    }
    index = middle;
    return new PsoElements<>(collection, from, middle);
  }

  @Override
  public long estimateSize() {
    return end - index;
  }

  @Override
  public int characteristics() {
    return ORDERED | SIZED | SUBSIZED;
  }
}
