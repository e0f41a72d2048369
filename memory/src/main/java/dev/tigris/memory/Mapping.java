package dev.tigris.memory;

/// How a [Jbuf] lies over a file: which changes other processes see, and which survive a crash.
///
/// | | seen by others | [Jbuf#flush] | after the process's crash | after the machine's |
/// |---|---|---|---|---|
/// | `SHARED` | at once | waits for the disk | everything written | a mixture |
/// | `DURABLE` | after `flush` | all of it or nothing | the last flush | the last flush |
/// | `PRIVATE` | never | not possible | | |
/// | `SNAPSHOT` | never | not possible | | |
///
/// The pages of `SHARED`, `DURABLE` and `PRIVATE` are the file's own. A page that cannot be had is
/// an [InternalError] of the access, and two instructions of x86-64 end the JVM instead: when
/// another program cuts the file short, when the disk or the server behind it fails, and when a
/// store to a `SHARED` mapping finds the disk full. The last cannot happen where a `SHARED` mapping
/// can reserve the blocks of the whole file, which it does when it is made. File systems that copy
/// a page whenever it is written (btrfs, ZFS, others after a snapshot) cannot promise that, nor can
/// those without `fallocate(2)`. There [Jbuf#flush] fails if it finds the disk full, and so do all
/// later ones of that mapping. `SNAPSHOT` has no such pages.
public enum Mapping {
  /// Changes reach the file at once, and every process that maps it sees them. After a crash of the
  /// machine, some pages may be older than the last [Jbuf#flush] and others newer. Processes share
  /// memory by such a mapping of a file in `/dev/shm`.
  ///
  /// All of the file gets blocks on the disk, its holes too, and a file that the disk has no room
  /// for is refused. After a flush that failed, the file may lack changes, and all later flushes
  /// of the mapping fail: map the file again.
  SHARED,

  /// Changes reach the file with [Jbuf#flush], all of them or none. After any crash the file is as
  /// the last completed flush left it. While a file is mapped in this way, no other mapping of it
  /// can be made, but for a [#SNAPSHOT]. A process that has mapped it before must not write to it.
  ///
  /// A flush first makes sure that file and journal have room. If the disk is full, it fails before
  /// it has changed anything, and can be repeated.
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
  PRIVATE,

  /// The file is read into memory when it is mapped, and its bytes are a copy from then on: the
  /// memory counts against the budget, changes stay in this process, and neither another program
  /// nor the disk can take pages away ([InternalError]). It is the mapping for files that are not
  /// trusted. Given more bytes than the file has, the copy ends with zeros.
  ///
  /// It can be made while another process has the file mapped [#DURABLE], and has then what the
  /// last completed flush left: a flush that runs is waited for, and the next one waits until the
  /// file is read (a lock of the file sees to that, `flock(2)`). Of a file that others write to in
  /// another way, it has a mixture.
  SNAPSHOT;

  /// Whether what is written to the memory is meant for the file.
  boolean writesToFile() {
    return switch (this) {
      case SHARED, DURABLE -> true;
      case PRIVATE, SNAPSHOT -> false;
    };
  }
}
