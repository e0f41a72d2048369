package dev.tigris.specializer;

/// A rule of the specializer's own. What these give is for none of them to rewrite.
interface OwnRule extends Rule {
  @Override
  default boolean isIdempotent() {
    return true;
  }
}
