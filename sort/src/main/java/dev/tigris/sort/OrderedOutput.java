package dev.tigris.sort;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Where sorted buckets are written, one after the other, by several threads in turn: each sorts
/// its own bucket while others sort or write theirs.
///
/// Thread rule: [#await] and [#done] by any thread; between the two calls of a thread the output is
/// its own.
final class OrderedOutput {
  private final OutputStream stream;
  private final Path name;
  private final Compression compression;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition turned = lock.newCondition();
  private int turn;
  private long bytes;

  /// Writes to a stream.
  ///
  /// @param name what failures call it
  /// @param compression of each bucket as a part of its own, by the thread that has sorted it
  OrderedOutput(OutputStream stream, Path name, Compression compression) {
    this(stream, name, compression, 0);
  }

  /// Writes buckets from a number on.
  ///
  /// @param first the bucket whose turn it is at first
  OrderedOutput(OutputStream stream, Path name, Compression compression, int first) {
    this.stream = stream;
    this.name = name;
    this.compression = compression;
    this.turn = first;
  }

  /// What failures call it.
  Path name() {
    return name;
  }

  /// What is to be written for these lines; before the turn of their bucket.
  byte[] encode(byte[] text, int length) throws IOException {
    return compression.compressed(text, length);
  }

  /// How many bytes of [#encode]'s result count, of so many bytes of text.
  int encodedBytes(byte[] encoded, int length) {
    return compression == Compression.NONE ? length : encoded.length;
  }

  /// A stream for the lines of the bucket whose turn it is, where they come one by one.
  OutputStream lines() {
    var counted =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
          }

          @Override
          public void write(byte[] text, int from, int length) throws IOException {
            OrderedOutput.this.write(text, from, length);
          }
        };
    return compression.compressing(counted);
  }

  /// Waits until all buckets before this one are written. A flow that is stopped interrupts its
  /// threads, and so ends the wait.
  ///
  /// @throws InterruptedException if the thread is interrupted
  void await(int bucket) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (turn < bucket) {
        turned.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Writes bytes of the bucket whose turn it is.
  void write(byte[] text, int from, int length) throws SortException {
    try {
      stream.write(text, from, length);
    } catch (IOException e) {
      throw SortException.writing(name, e);
    }
    bytes += length;
  }

  /// The bucket whose turn it is has been written.
  void done(int bucket) {
    lock.lock();
    try {
      turn = Math.max(turn, bucket + 1); // one that failed before its turn does not set it back
      turned.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Hands on what was written; when all is done.
  void flush() throws SortException {
    try {
      if (bytes() == 0
          && compression != Compression.NONE) { // no data is not a file of their format
        byte[] nothing = compression.compressed(new byte[0], 0);
        write(nothing, 0, nothing.length);
      }
      stream.flush();
    } catch (IOException e) {
      throw SortException.writing(name, e);
    }
  }

  /// How many bytes were written; when all is done.
  long bytes() {
    lock.lock();
    try {
      return bytes;
    } finally {
      lock.unlock();
    }
  }
}
