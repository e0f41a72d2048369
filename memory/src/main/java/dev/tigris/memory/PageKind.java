package dev.tigris.memory;

/// What kind of pages the memory of a [Jbuf] has, for those to whom it matters: see
/// [Jbuf#allocate(long, String, PageKind)].
///
/// All but [#ORDINARY] are taken in whole pages or more, and cost a system call: they are for few
/// large buffers that are kept and used in parts.
public enum PageKind {
  /// Pages like those of any program, provided as they are touched.
  ORDINARY,

  /// Pages that the operating system is advised to make huge ones (2 MiB) as they are touched:
  /// fewer misses of the TLB where access is all over a large buffer. No more than advice, and none
  /// outside Linux. Ordinary memory is advised to be so too, unless the machine makes it a loss
  /// (docs/decisions/036-huge-pages.md).
  HUGE,

  /// Pages that are there from the beginning and stay: touching one never waits for the operating
  /// system, and none is written to a swap area. How many a process may have is limited (`ulimit
  /// -l`). Linux and macOS.
  LOCKED,

  /// Pages that other processes of this host can be given to read, and cannot be made to write to:
  /// a file in memory without a name. A virtual interface over `shm` sends long messages from them
  /// without a copy of its own. Linux.
  SHARED
}
