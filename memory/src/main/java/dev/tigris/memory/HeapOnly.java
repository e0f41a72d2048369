package dev.tigris.memory;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a field of a [Pso] that stays an ordinary field of the Java object. It may have any type,
/// and is neither stored nor sent. In an object that was recovered from a container it has its
/// default value. The object of a [PsoCursor] keeps its value from element to element.
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface HeapOnly {}
