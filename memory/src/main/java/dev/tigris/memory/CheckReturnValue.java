package dev.tigris.memory;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Target;

/// The compiler's checks (Error Prone) refuse a call that ignores the result.
@Documented
@Target(ElementType.METHOD)
public @interface CheckReturnValue {}
