package dev.tigris.cluster.disk;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.call.CallException;
import dev.tigris.message.call.Calls;
import dev.tigris.os.SystemException;
import dev.tigris.os.disk.DiskOperation;
import dev.tigris.os.disk.RemoteFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// An open file of another host, whose transfers are calls.
///
/// Thread rule: that of a [RemoteFile].
final class CalledFile implements RemoteFile {
  /// A disk that is slow, or has others to serve first, may take a while. One that is silent for
  /// longer is out of order. A reader of a mirror does not wait for so long.
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final int REMOTE_IO = 121;

  /// The reading that the readers of this process are of: their own, unless a run says which.
  private static final long READING =
      Long.getLong(HostFinder.READING_PROPERTY, new SecureRandom().nextLong());

  private final HostDisks calls;
  private final HostDisks patient;
  private final String path;
  private final boolean isRead;
  private volatile long number;

  /// The memory that the next write is sent from.
  private @Nullable Jbuf sent;

  CalledFile(HostDisks calls, String path, long number, boolean isRead) {
    this.calls = calls;
    this.patient = Calls.within(calls, PATIENCE);
    this.path = path;
    this.number = number;
    this.isRead = isRead;
  }

  @Override
  public Runnable begin(
      DiskOperation.Kind kind, long position, MemorySegment part, double progress, Ending ending) {
    try {
      return switch (kind) {
        case READ -> read(position, part.byteSize(), progress, ending, isRead);
        case WRITE -> write(position, part, ending);
        case SYNC -> counted(patient.sync(number), Long.MAX_VALUE, ending);
      };
    } catch (CallException e) {
      failed(e, ending);
      return () -> {};
    }
  }

  private Runnable read(
      long position, long bytes, double progress, Ending ending, boolean mayReopen) {
    long asked = number;
    CompletableFuture<Bytes> reply = patient.read(asked, position, (int) bytes, READING, progress);
    CompletableFuture<?> _ =
        reply.whenComplete(
            (its, failure) -> {
              if (its == null) {
                failed(failure, ending);
              } else if (mayReopen && isStale(its)) {
                Calls.release(calls, its);
                readAgain(asked, position, bytes, progress, ending);
              } else {
                replied(its, bytes, ending);
              }
            });
    return () -> {
      boolean _ = reply.cancel(true);
    };
  }

  private static boolean isStale(Bytes reply) {
    return reply.length() >= HostDisks.REPLY_HEADER_BYTES && reply.getLong(0) == -HostDisks.STALE;
  }

  private void readAgain(long stale, long position, long bytes, double progress, Ending ending) {
    try {
      reopen(stale);
      Runnable _ = read(position, bytes, progress, ending, false);
    } catch (CallException e) {
      failed(e, ending);
    }
  }

  /// Opens the file once more, for all reads that have found it closed.
  private synchronized void reopen(long stale) {
    if (number == stale) {
      number = calls.open(path, HostDisks.READ);
    }
  }

  private void replied(Bytes reply, long bytes, Ending ending) {
    long came = reply.length() - HostDisks.REPLY_HEADER_BYTES;
    long result = came < 0 ? -REMOTE_IO : reply.getLong(0);
    boolean isSane = result <= bytes && (result < 0 || result == came);
    if (result <= 0 || !isSane) {
      Calls.release(calls, reply);
      ending.ended(isSane ? (int) result : -REMOTE_IO, null, () -> {});
    } else {
      ending.ended(
          (int) result,
          reply.segment().asSlice(HostDisks.REPLY_HEADER_BYTES, result),
          () -> Calls.release(calls, reply));
    }
  }

  /// The call copies the bytes before it returns.
  private Runnable write(long position, MemorySegment part, Ending ending) {
    Jbuf memory = sent;
    if (memory == null) {
      memory = Jbuf.allocate(HostDisks.MOST_BYTES, "disks");
      sent = memory;
    }
    Bytes bytes = memory.asBytes();
    MemorySegment.copy(part, 0, bytes.segment(), 0, part.byteSize());
    return counted(
        patient.write(number, position, bytes.slice(0, part.byteSize())), part.byteSize(), ending);
  }

  private static Runnable counted(CompletableFuture<Long> reply, long most, Ending ending) {
    CompletableFuture<?> _ =
        reply.whenComplete(
            (result, failure) -> {
              if (result == null) {
                failed(failure, ending);
              } else {
                boolean isSane = result <= most && result > -(1 << 12);
                ending.ended(isSane ? result.intValue() : -REMOTE_IO, null, () -> {});
              }
            });
    return () -> {
      boolean _ = reply.cancel(true);
    };
  }

  private static void failed(@Nullable Throwable failure, Ending ending) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    int error =
        cause instanceof CallException call
            ? switch (call.status()) {
              case UNAVAILABLE, CANCELLED -> SystemException.HOST_DOWN; // the connection was closed
              case DEADLINE_EXCEEDED -> SystemException.TIMED_OUT;
              case PERMISSION_DENIED -> SystemException.NO_ACCESS;
              default -> REMOTE_IO;
            }
            : SystemException.HOST_DOWN;
    ending.ended(-error, null, () -> {});
  }

  @Override
  public long size() throws IOException {
    try {
      return calls.size(number);
    } catch (CallException e) {
      throw new IOException("%s: %s".formatted(path, e.text()), e);
    }
  }

  @Override
  public void resize(long bytes) throws IOException {
    try {
      calls.resize(number, bytes);
    } catch (CallException e) {
      throw new IOException("%s: %s".formatted(path, e.text()), e);
    }
  }

  /// Does not wait: a host that is gone has closed it.
  @Override
  public void close() {
    if (sent != null) {
      sent.unreference(Jbuf::free);
      sent = null;
    }
    long its = number;
    Thread _ =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    calls.close(its);
                  } catch (CallException e) {
                    // the host closes it by itself
                  }
                });
  }
}
