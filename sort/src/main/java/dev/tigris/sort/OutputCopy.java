package dev.tigris.sort;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;

/// Copies a file that several processes have written to an output that one has to write from the
/// beginning to the end: a pipe, or one that is compressed. Threads compress a block each, and
/// write in turn.
final class OutputCopy {
  private static final int BLOCK_BYTES = 1 << 20;

  private final FileChannel file;
  private final long bytes;
  private final OrderedOutput output;
  private final AtomicBoolean hasFailed = new AtomicBoolean();

  private OutputCopy(FileChannel file, long bytes, OrderedOutput output) {
    this.file = file;
    this.bytes = bytes;
    this.output = output;
  }

  /// Copies so many bytes.
  static void copy(Path path, long bytes, OrderedOutput output, int threads)
      throws SortException, InterruptedException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      OutputCopy copy = new OutputCopy(file, bytes, output);
      long blocks = Math.ceilDiv(bytes, BLOCK_BYTES);
      Workers.run("tigris-sort-copy", threads, blocks, copy::worker);
    } catch (IOException e) {
      throw SortException.reading(path, e);
    }
    output.flush();
  }

  private Workers.Worker worker() {
    byte[] block = new byte[BLOCK_BYTES];
    return new Workers.Worker() {
      @Override
      public void work(long piece) throws SortException {
        copy(Math.toIntExact(piece), block);
      }

      @Override
      public void close() {
        // The block is on the heap.
      }
    };
  }

  private void copy(int number, byte[] block) throws SortException {
    boolean isWritten = false;
    try {
      long from = (long) number * BLOCK_BYTES;
      int length = (int) Math.min(BLOCK_BYTES, bytes - from);
      ByteBuffer window = ByteBuffer.wrap(block, 0, length);
      while (window.hasRemaining()) {
        if (file.read(window, from + window.position()) < 0) {
          throw new IOException("another program has cut it short");
        }
      }
      byte[] encoded = output.encode(block, length);
      output.await(number);
      if (!hasFailed.get()) {
        output.write(encoded, 0, output.encodedBytes(encoded, length));
        isWritten = true;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw SortException.writing(output.name(), new ClosedByInterruptException());
    } catch (IOException e) {
      throw SortException.writing(output.name(), e);
    } finally {
      if (!isWritten) {
        hasFailed.set(true); // before those that wait for this block go on
      }
      output.done(number);
    }
  }
}
