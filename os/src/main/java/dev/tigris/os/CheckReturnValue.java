package dev.tigris.os;

import java.lang.annotation.ElementType;
import java.lang.annotation.Target;

/// Marks a method whose result a caller must not ignore. Error Prone knows it by this name, in our
/// build and in those of users.
///
/// It is of our own because an annotation of a library would have to be on the module path of every
/// user, and it is here because our modules share no other internal one. It is not documented, so
/// that no published signature shows it.
@Target(ElementType.METHOD)
public @interface CheckReturnValue {}
