package dev.tigris.memory;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a field of a [Pso] whose object lies inside the object that declares the field, as a
/// struct lies in a struct. The field's type is a concrete subclass of [Pso]. The inner object
/// always exists and cannot be replaced.
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface InPlace {}
