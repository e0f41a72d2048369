package dev.tigris.message.call;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks an interface whose methods can be called from other processes.
///
/// Each abstract method has a name of its own and up to 12 parameters. A parameter is a primitive,
/// a `String`, [dev.tigris.memory.Bytes], or a class of objects ([dev.tigris.memory.Pso]). A result
/// is one of these, `void`, a `CompletableFuture` of one of these, or [Results] of a class of
/// objects. Default methods run where they are called.
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Service {
  /// The name that both sides know it by; empty for the simple name of the interface.
  String value() default "";
}
