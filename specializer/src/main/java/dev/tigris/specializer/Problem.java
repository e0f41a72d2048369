package dev.tigris.specializer;

/// A problem in the source or the build that keeps a class from being specialized.
///
/// @param message what is wrong and what to do about it
public record Problem(Location location, String message) {
  @Override
  public String toString() {
    return location + ": " + message;
  }
}
