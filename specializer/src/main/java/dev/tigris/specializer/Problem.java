package dev.tigris.specializer;

/// Something that must be changed in the source (or in the build) before a class can be
/// specialized.
///
/// @param message what is wrong and what to do about it
public record Problem(Location location, String message) {
  @Override
  public String toString() {
    return location + ": " + message;
  }
}
