package dev.tigris.message.call;

import dev.tigris.memory.Pso;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;

/// A stream of objects, as the result of a call.
///
/// A method at the server returns one by [#of]; its elements are asked for, copied and sent while
/// the client has room for them. At the client it is read once, by one thread at a time, and
/// closed:
///
/// ```java
/// try (Results<Order> open = orders.open(customer)) {
///   while (open.hasNext()) {
///     total += open.next().quantity;
///   }
/// }
/// ```
///
/// The deadline of the call is that of the whole stream.
///
/// @param <T> the class of the elements
public abstract class Results<T extends Pso> implements Iterator<T>, AutoCloseable {
  Results() {}

  /// Makes a stream, for a method at the server to return. The thread of the call asks for the
  /// elements, and closes the iterator if it is `AutoCloseable`. An element can be made anywhere,
  /// in [Calls#container()] too: each finds half of [ServerOptions#resultBytes] free there.
  public static <T extends Pso> Results<T> of(Iterator<? extends T> elements) {
    return new Served<>(elements);
  }

  /// Makes a stream of these, for a method at the server to return.
  public static <T extends Pso> Results<T> of(Iterable<? extends T> elements) {
    return new Served<>(elements.iterator());
  }

  /// Whether there is another element; waits until that is known.
  ///
  /// @throws CallException if the call has failed, after all elements that were sent before
  @Override
  public abstract boolean hasNext();

  /// Returns the next element. It is valid until the next call of this method, or [#close].
  ///
  /// @throws CallException as for [#hasNext]
  /// @throws NoSuchElementException if there is none
  @Override
  public abstract T next();

  /// Ends the stream, and the call if that goes on.
  @Override
  public abstract void close();

  /// A stream at the server: an iterator, and where it stands.
  static final class Served<T extends Pso> extends Results<T> {
    private final Iterator<? extends T> elements;

    private Served(Iterator<? extends T> elements) {
      this.elements = Objects.requireNonNull(elements);
    }

    @Override
    public boolean hasNext() {
      return elements.hasNext();
    }

    @Override
    public T next() {
      return elements.next();
    }

    @Override
    public void close() {
      if (elements instanceof AutoCloseable closeable) {
        try {
          closeable.close();
        } catch (RuntimeException e) {
          throw e;
        } catch (Exception e) {
          throw new CallException(Status.UNKNOWN, String.valueOf(e.getMessage()), e);
        }
      }
    }
  }
}
