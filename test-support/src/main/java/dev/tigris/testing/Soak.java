package dev.tigris.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/// A test of the soak, which `./tigris test --soak` runs by hand: one that takes minutes to hours.
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Tag("soak")
@net.jqwik.api.Tag("soak")
public @interface Soak {
  /// The reason, in a line.
  String value();
}
