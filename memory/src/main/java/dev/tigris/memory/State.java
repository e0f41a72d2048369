package dev.tigris.memory;

/// The states of a [Jbuf] (Chang, *Safe and Explicit Memory Management*, figure 3.2; `FREED` is
/// what remains of the handle afterwards).
///
/// ```
///                 asInts(), ...                    unreference(callback)
///   UNREFERENCED ----------------> REFERENCED ------------------------> TO_BE_UNREFERENCED
///     |      ^                      as one type                                  |
///     |      +--------------- the collector has verified the claim --------------+
///     | free()
///     v
///   FREED
/// ```
public enum State {
  /// Nobody can reach the memory: it can be freed, or viewed as any type.
  UNREFERENCED,
  /// Viewed as one type; it can be viewed again as the same type only.
  REFERENCED,
  /// Its user claims that no view is left; the collector has not confirmed it yet. It can be
  /// neither viewed nor freed.
  TO_BE_UNREFERENCED,
  /// The memory is somebody else's now.
  FREED
}
