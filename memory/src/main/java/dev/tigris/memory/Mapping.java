package dev.tigris.memory;

/// How a [Jbuf] lies over a file: which changes other processes see, and which survive a crash.
///
/// | | seen by others | [Jbuf#flush] | after the process's crash | after the machine's |
/// |---|---|---|---|---|
/// | `SHARED` | at once | waits for the disk | everything written | a mixture |
/// | `DURABLE` | after `flush` | all of it or nothing | the last flush | the last flush |
/// | `PRIVATE` | never | not possible | | |
public enum Mapping {
  /// Changes reach the file at once, and every process that maps it sees them. After a crash of the
  /// machine, some pages may be older than the last [Jbuf#flush] and others newer. Processes share
  /// memory by such a mapping of a file in `/dev/shm`.
  SHARED,

  /// Changes reach the file with [Jbuf#flush], all of them or none. After any crash the file is as
  /// the last completed flush left it. While a file is mapped in this way, no other mapping of it
  /// can be made. A process that has mapped it before must not write to it.
  ///
  /// Pages that were written to since the last flush take memory of this process. A flush takes 16
  /// bytes more for each of them, which `-XX:MaxDirectMemorySize` bounds.
  ///
  /// A journal lies beside the file, `NAME.journal`, which is empty except during a flush. If a
  /// crash interrupts a flush, the next mapping of this kind completes it from the journal. File
  /// and journal belong together: if you replace the file by a copy, delete the journal or replace
  /// it by the copy's. Do not delete the journal of a mapped file: no later flush completes,
  /// because another process may own the file by a new journal.
  ///
  /// A lock of the journal (`flock(2)`) keeps other mappings of the file away. A second name of the
  /// file (a hard link) has a second journal. A name of more than 247 bytes leaves no room for the
  /// journal's, and is refused.
  DURABLE,

  /// Changes stay in this process. The file only has to be readable.
  PRIVATE
}
