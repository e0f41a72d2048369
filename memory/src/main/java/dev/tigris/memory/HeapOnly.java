package dev.tigris.memory;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a field of a [Pso] that stays an ordinary field of the Java object: it is neither stored
/// nor sent, may have any type, and has its default value in an object that was recovered from a
/// container. The object of a [PsoCursor] takes it along from element to element.
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface HeapOnly {}
