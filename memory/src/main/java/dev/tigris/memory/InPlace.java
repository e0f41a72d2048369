package dev.tigris.memory;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a field of a [Pso] whose object, of a concrete subclass of [Pso], lies in the object that
/// declares the field, as a struct in a struct does. It is always there and cannot be replaced.
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface InPlace {}
