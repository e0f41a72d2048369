package dev.tigris.memory;

/// How a [Jbuf] lies over a file, and with it what others see and what is left after a crash.
///
/// | | seen by others | [Jbuf#flush] | after the process's crash | after the machine's |
/// |---|---|---|---|---|
/// | `SHARED` | at once | waits for the disk | everything written | a mixture |
/// | `DURABLE` | after `flush` | all of it or nothing | the last flush | the last flush |
/// | `PRIVATE` | never | not possible | | |
public enum Mapping {
  /// What is written is the file's at once, for every process that maps it too. After a crash of
  /// the machine, some pages may be as they were before the last [Jbuf#flush] and others as they
  /// were after it. Memory that processes share is a file of this kind in `/dev/shm`.
  SHARED,

  /// What is written becomes the file's with [Jbuf#flush], at once or not at all: after any crash
  /// the file is what the last completed flush left. As long as a file is mapped so, it cannot be
  /// mapped again in any way; who has mapped it before must not write to it.
  ///
  /// Pages that were written to since the last flush take memory of the process's own, and a flush
  /// takes 16 bytes more for each, of what `-XX:MaxDirectMemorySize` allows.
  ///
  /// Beside the file lies another, `NAME.journal`, empty but for the time of a flush; who maps the
  /// file so the next time completes from it what a crash has interrupted. So the two belong
  /// together: whoever puts a copy in the place of the file deletes the journal, or puts the copy's
  /// own there. While a file is mapped its journal stays: once that was deleted no flush completes,
  /// since others may own the file by a new one.
  ///
  /// That nobody else maps the file is kept by a lock of its journal (`flock(2)`). By another name
  /// of its own (a hard link) a file has another journal. A name of more than 247 bytes leaves no
  /// room for the journal's, and is refused.
  DURABLE,

  /// What is written stays with this process. The file needs to be readable only.
  PRIVATE
}
