package dev.tigris.cluster.disk;

import dev.tigris.memory.Bytes;
import dev.tigris.message.call.Idempotent;
import dev.tigris.message.call.Service;
import java.util.concurrent.CompletableFuture;

/// The folders that a host serves, as calls. Paths are absolute ones of that host.
///
/// ```
///   client                                            the host
///   open(path, READ) ------------------------------>  opens it, and gives it a number
///   read(number, position, bytes, reading, progress)  waits for its turn at the disk
///   <------------------------- result, the bytes ---
/// ```
///
/// **The turn.** Each folder stands for a disk, which does two reads at a time. Of those that wait,
/// it does next the one whose reader is furthest behind in its reading, and takes readings in turn
/// ([dev.tigris.flow.mirror.ReadOrder]). Writes and syncs do not wait for reads.
///
/// **The reply to a read**, whose memory is the client's:
///
/// ```
///   0                     8
///   +---------------------+------------- ... -+
///   | result, i64         | the bytes that were read |      little-endian
///   +---------------------+------------- ... -+
/// ```
///
/// **Results** are numbers of bytes, or numbers of Linux's errors below zero, as of the system's
/// calls: fewer bytes than were asked for are no error. [#STALE] says that the host has closed the
/// file, since it was not used for long or the host was started again. A client opens it once more
/// if it reads, and gives a file up that it writes.
@Service("HostDisks")
public interface HostDisks {
  /// Opens a file for reading.
  int READ = 0;

  /// Opens a file for reading and writing.
  int WRITE = 1;

  /// As [#WRITE], and the file must be new.
  int MAKE = 2;

  /// The error of a file that is not open.
  int STALE = 116;

  /// The most bytes of a read or write.
  int MOST_BYTES = 1 << 20;

  /// The bytes before those of a reply.
  int REPLY_HEADER_BYTES = Long.BYTES;

  /// Returns whether a folder is there.
  @Idempotent
  boolean hasFolder(String folder);

  /// Returns whether a regular file is there.
  @Idempotent
  boolean hasFile(String file);

  /// Returns the path of a folder without symbolic links.
  @Idempotent
  String real(String folder);

  /// Returns the bytes of a small file.
  @Idempotent
  Bytes all(String file, int most);

  /// Writes a small file, which has its name when it is whole and on the disk.
  @Idempotent
  void publish(String file, Bytes bytes);

  /// Gives a file another name in its folder, in place of what has that name.
  void rename(String from, String to);

  /// Returns when the name of a file is on the disk.
  @Idempotent
  void syncName(String file);

  /// Deletes a file, if it is there.
  @Idempotent
  void delete(String file);

  /// Opens a file, and returns its number.
  long open(String file, int mode);

  /// Returns how many bytes an open file has.
  @Idempotent
  long size(long number);

  /// Cuts or lengthens an open file.
  @Idempotent
  void resize(long number, long bytes);

  /// Closes a file, when what is under way has ended.
  @Idempotent
  void close(long number);

  /// Reads.
  ///
  /// @param reading a number of what the reader belongs to: the progress of its readers can be
  ///     compared
  /// @param progress of the reader
  CompletableFuture<Bytes> read(
      long number, long position, int bytes, long reading, double progress);

  /// Writes.
  CompletableFuture<Long> write(long number, long position, Bytes bytes);

  /// Waits until what was written is on the disk.
  CompletableFuture<Long> sync(long number);
}
