package dev.tigris.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/// A test that runs while no other does: it measures time, or looks at what all processes of the
/// machine share.
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Tag("quiet")
@net.jqwik.api.Tag("quiet")
public @interface Quiet {
  /// The reason, in a line.
  String value();
}
