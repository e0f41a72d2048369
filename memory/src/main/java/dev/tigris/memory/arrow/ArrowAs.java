package dev.tigris.memory.arrow;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Gives the numbers of a stored field a meaning in Arrow, where their Java type has none.
///
/// ```java
/// @ArrowAs(ArrowAs.Meaning.TIMESTAMP_MICROS) public long time;
/// ```
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface ArrowAs {
  /// The meaning.
  Meaning value();

  /// A meaning of numbers.
  enum Meaning {
    /// A `byte`, `short`, `int` or `long`, or an array of them in place, whose numbers have no
    /// sign: `uint8` and so on.
    UNSIGNED,

    /// An `int` that counts days since 1970-01-01: `date32`.
    DATE,

    /// A `long` that counts seconds since 1970-01-01T00:00Z: `timestamp[s, tz=UTC]`.
    TIMESTAMP_SECONDS,

    /// As [#TIMESTAMP_SECONDS], in milliseconds.
    TIMESTAMP_MILLIS,

    /// As [#TIMESTAMP_SECONDS], in microseconds.
    TIMESTAMP_MICROS,

    /// As [#TIMESTAMP_SECONDS], in nanoseconds.
    TIMESTAMP_NANOS
  }
}
