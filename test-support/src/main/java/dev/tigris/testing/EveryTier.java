package dev.tigris.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/// A test that every tier runs, each with its own size, which [Tier#choose] gives.
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Tag("every")
@net.jqwik.api.Tag("every")
public @interface EveryTier {
  /// The reason, in a line.
  String value();
}
