package dev.tigris.memory;

/// The states of a [Jbuf] (Chang, PhD thesis, Cornell 1999, section 3.1, figure 3.2). `FREED` is
/// the state of a handle without memory.
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
///
/// [Jbuf#close] leads from each of them to `CLOSED`, or at once to `FREED` if the buffer is
/// unreferenced. The collector's proof leads from `CLOSED` to `FREED`.
public enum State {
  /// No view of the buffer is reachable. It can be freed, or viewed as any type.
  UNREFERENCED,
  /// The buffer is viewed as one type, and can be viewed again as that type only.
  REFERENCED,
  /// The program claims that no view is left, and the collector has not verified the claim yet. The
  /// buffer can be neither viewed nor freed.
  TO_BE_UNREFERENCED,
  /// The buffer was closed, and the collector has not verified yet that no view is left. It can be
  /// neither viewed nor flushed. A mapped file is not reached through it any more.
  CLOSED,
  /// The buffer was freed, and its memory may belong to another Jbuf.
  FREED
}
