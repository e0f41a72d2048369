package dev.tigris.memory;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a class of objects for which `==` tells whether two references lead to one object. Each
/// Java object then keeps the objects that its references lead to, and returns them again.
///
/// Without the annotation, each read of a reference makes a Java object for the place that it leads
/// to. The compiler leaves that object out where it is used at once, and `equals` compares places.
/// A class with a [HeapOnly] field needs no annotation: what such a field holds would be lost with
/// the Java object.
///
/// The annotation costs memory on the heap. A list of such objects keeps a Java object for each
/// element that was read.
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Identity {}
