package dev.tigris.memory;

/// The kind of pages that the memory of a [Jbuf] has ([Jbuf#allocate(long, String, PageKind)]).
///
/// Every kind but [#ORDINARY] is allocated in whole pages or more and costs a system call. Use
/// those for a few large buffers that are kept and used in parts.
public enum PageKind {
  /// Pages like those of any program. The operating system provides each when it is first touched.
  ORDINARY,

  /// Pages that the operating system is advised to make huge ones (2 MiB). Random accesses to a
  /// large buffer then miss the TLB less often. Systems other than Linux get no such advice.
  /// Ordinary memory gets it too, except on machines where it costs more than it gains.
  HUGE,

  /// Pages that are in memory from the beginning and stay there. An access never waits for the
  /// operating system, and no page is written to a swap area. `ulimit -l` limits how many a process
  /// may have. Linux and macOS.
  LOCKED,

  /// Pages of a memory file without a name, which this process can share with another process of
  /// this host. The other process can read them and can never write to them. A virtual interface
  /// over `shm` sends long messages from them without a copy of its own. Linux.
  SHARED
}
