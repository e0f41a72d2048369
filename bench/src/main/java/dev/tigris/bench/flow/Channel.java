package dev.tigris.bench.flow;

import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jctools.queues.SpscArrayQueue;

/// A way to hand buffers from one thread to another and back, for reuse. All ways have the same
/// number of buffers, of the same kind, and do the same to their contents.
sealed interface Channel {
  /// The sender's side: hands over `count` buffers, in which the numbers from 0 on are written.
  void send(int count) throws InterruptedException;

  /// The receiver's side: takes `count` buffers and returns the sum of what is written in them.
  long receive(int count) throws InterruptedException;

  /// What [#receive] returns when nothing was lost or doubled.
  static long sum(int count) {
    return (long) count * (count - 1);
  }

  /// A buffer is touched where it begins and where it ends: what is compared is the hand-over, not
  /// the filling.
  private static void write(Bytes bytes, int size, long number) {
    bytes.setLong(0, number);
    bytes.setLong(size - Long.BYTES, number);
  }

  private static long read(Bytes bytes, int size) {
    return bytes.getLong(0) + bytes.getLong(size - Long.BYTES);
  }

  private static Bytes buffer(int size) {
    return Jbuf.allocate(size, "bench").asBytes();
  }

  /// Ours.
  record Tigris(Stream stream, int size) implements Channel {
    Tigris(int window, int size) {
      this(Stream.memory(window), size);
    }

    @Override
    public void send(int count) {
      for (int i = 0; i < count; i++) {
        Water water = stream.spring().createWater(size);
        write(water.bytes(), size, i);
        stream.put(water);
      }
    }

    @Override
    public long receive(int count) {
      long sum = 0;
      for (int i = 0; i < count; i++) {
        Water water = stream.get();
        if (water == null) {
          throw new IllegalStateException("the stream has ended");
        }
        sum += read(water.bytes(), size);
        water.release();
      }
      return sum;
    }
  }

  /// The usual way: one queue for full buffers, one for empty ones.
  record Blocking(BlockingQueue<Bytes> full, BlockingQueue<Bytes> empty, int size)
      implements Channel {
    Blocking(int window, int size) {
      this(new ArrayBlockingQueue<>(window), new ArrayBlockingQueue<>(window), size);
      for (int i = 0; i < window; i++) {
        empty.add(buffer(size));
      }
    }

    @Override
    public void send(int count) throws InterruptedException {
      for (int i = 0; i < count; i++) {
        Bytes bytes = empty.take();
        write(bytes, size, i);
        full.put(bytes);
      }
    }

    @Override
    public long receive(int count) throws InterruptedException {
      long sum = 0;
      for (int i = 0; i < count; i++) {
        Bytes bytes = full.take();
        sum += read(bytes, size);
        empty.put(bytes);
      }
      return sum;
    }
  }

  /// The fastest there is: a pair of queues that never block, and threads that spin and then yield.
  record JcTools(Queue<Bytes> full, Queue<Bytes> empty, int size) implements Channel {
    private static final int SPINS = 64;

    JcTools(int window, int size) {
      this(new SpscArrayQueue<>(window), new SpscArrayQueue<>(window), size);
      for (int i = 0; i < window; i++) {
        empty.add(buffer(size));
      }
    }

    @Override
    public void send(int count) {
      for (int i = 0; i < count; i++) {
        Bytes bytes = take(empty);
        write(bytes, size, i);
        full.add(bytes); // there are never more buffers than room
      }
    }

    @Override
    public long receive(int count) {
      long sum = 0;
      for (int i = 0; i < count; i++) {
        Bytes bytes = take(full);
        sum += read(bytes, size);
        empty.add(bytes);
      }
      return sum;
    }

    @SuppressWarnings("ThreadPriorityCheck") // a queue that does not block leaves waiting to us
    private static Bytes take(Queue<Bytes> queue) {
      int spins = 0;
      Bytes bytes = queue.poll();
      while (bytes == null) {
        if (++spins > SPINS) {
          Thread.yield();
        } else {
          Thread.onSpinWait();
        }
        bytes = queue.poll();
      }
      return bytes;
    }
  }
}
