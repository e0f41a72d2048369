package dev.tigris.memory;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// The capacity of a field of a [Pso] that lies in the object itself: the bytes of a [Utf8], or the
/// elements of an array such as [Ints].
///
/// ```java
/// @Capacity(12) public Utf8 symbol;      // up to 12 bytes of text
/// @Capacity(16) public Doubles samples;  // 16 numbers
/// ```
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Capacity {
  /// The bytes of text, or the elements of an array; at least 1.
  int value();
}
