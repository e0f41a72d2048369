package dev.tigris.message.call;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a method of a [Service] that may run more than once for one call, with no other effect
/// than if it had run once. If a server is lost that may have run it, the client tries it again,
/// within the deadline of the call. Other methods never run twice for one call.
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Idempotent {}
