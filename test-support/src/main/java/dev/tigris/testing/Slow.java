package dev.tigris.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/// A test of the slow tier, which `./tigris test --slow` runs: one that cannot be quick and still
/// check what it is for.
///
/// Together with [Soak] it is of both tiers, and [Tier#choose] gives each its size.
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Tag("slow")
@net.jqwik.api.Tag("slow")
public @interface Slow {
  /// The reason, in a line.
  String value();
}
