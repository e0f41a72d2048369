package dev.tigris.bench.fork;

import dev.tigris.bench.WrongResultException;

/// A side of a contest: work that can be repeated.
@FunctionalInterface
public interface Trial {
  /// Repeats the work `count` times and returns the nanoseconds taken, preparation and checks
  /// excluded.
  ///
  /// Throws [WrongResultException] when the result is wrong.
  long nanos(int count) throws Exception;

  /// The body of a loop-shaped trial: does it `count` times and returns something that depends on
  /// all of them.
  @FunctionalInterface
  interface Body {
    long run(int count) throws Exception;
  }

  /// The result of a correct body.
  @FunctionalInterface
  interface Expected {
    long after(int count);
  }

  /// A trial that needs no preparation.
  static Trial of(String what, Body body, Expected expected) {
    return count -> {
      long start = System.nanoTime();
      long actual = body.run(count);
      long nanos = System.nanoTime() - start;
      WrongResultException.check(what, expected.after(count), actual);
      return nanos;
    };
  }
}
