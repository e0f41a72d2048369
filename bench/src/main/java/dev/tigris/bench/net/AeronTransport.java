package dev.tigris.bench.net;

import dev.tigris.bench.Bar;
import dev.tigris.bench.RunFolder;
import dev.tigris.bench.WrongResultException;
import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/// Aeron between two processes of one host, through shared memory. Both sides poll as long as
/// Tigris does before they sleep. Its driver, which does not touch the messages, lives in the
/// serving process and sleeps between its duties. An address is Aeron's folder.
///
/// ```text
///   0      4
///   +------+-----------+
///   | tag  |  payload  |   little-endian
///   +------+-----------+
/// ```
final class AeronTransport implements Transport {
  private static final String CHANNEL = "aeron:ipc";
  private static final int TO_SERVER = 1;
  private static final int TO_CLIENT = 2;

  /// As it has by default. A publisher may be half of that ahead of what the driver has seen when
  /// it was last awake: with a fourth of this, that was what these figures measured.
  private static final int TERM_BYTES = 64 << 20;

  private static final int MTU_BYTES = 32 << 10;
  private static final int LARGEST_BYTES = 1 << 20;
  private static final int FRAGMENTS = 64;
  private static final int HEADER_BYTES = 4;

  private static final int POLLS_BEFORE_YIELDING = 64;
  private static final long SPIN_NANOS = 50_000;

  /// The time it polls while long messages are written, copied and read: Tigris polls on while
  /// their parts move.
  private static final long LONG_SPIN_NANOS = 1_000_000;

  private static final long SLEEP_NANOS = 200_000;

  private final UnsafeBuffer message =
      new UnsafeBuffer(ByteBuffer.allocateDirect(HEADER_BYTES + LARGEST_BYTES));
  private @Nullable MediaDriver driver;
  private @Nullable Aeron aeron;
  private @Nullable ExclusivePublication out;
  private @Nullable Subscription in;

  /// The number of the message that has arrived last, and how many have.
  private int number;

  private long arrived;
  private int messages;

  /// All bytes of a message, if it is written and read as a whole; else null.
  private final @Nullable Content content;

  private final BufferClaim claim = new BufferClaim();

  /// The memory of the buffer that was read last.
  private @Nullable DirectBuffer known;

  private MemorySegment memory = MemorySegment.NULL;
  private long memoryAddress;

  /// @param isWhole whether each side writes and reads all bytes of its messages, those that fit a
  ///     fragment in the memory that they are sent from; else it touches both ends
  AeronTransport(boolean isWhole) {
    this.content = isWhole ? new Content() : null;
  }

  /// Messages whose ends are touched.
  static Contestant contestant() {
    return contestant(Transports.AERON);
  }

  /// Messages whose bytes are all written and read.
  static Contestant ofWholeMessages() {
    return contestant(Transports.AERON_WHOLE);
  }

  private static Contestant contestant(String transport) {
    return new Contestant(
        Bar.AERON, Optional.empty(), Contestant.Manner.STANDING, place -> start(transport, place));
  }

  /// In a folder of shared memory where there is one, as Aeron does it by itself.
  private static Exchange start(String transport, Place place) throws IOException {
    Path shared = Path.of("/dev/shm");
    Path folder =
        Files.isWritable(shared)
            ? Files.createTempDirectory(shared, "tigris-bench-aeron-")
            : Files.createTempDirectory(place.folder(), "aeron-");
    // Agrona's buffers, below Aeron, need the option. Nothing of ours does.
    List<String> command =
        Transports.command(transport, "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
    return ProcessPair.start(Bar.AERON, command, folder.toString(), place)
        .andThen(() -> RunFolder.deleteAll(folder));
  }

  @Override
  public String listen(String address) {
    driver =
        MediaDriver.launch(
            new MediaDriver.Context()
                .aeronDirectoryName(address)
                .dirDeleteOnStart(true)
                .threadingMode(ThreadingMode.SHARED)
                .sharedIdleStrategy(new SleepingMillisIdleStrategy(1))
                .ipcTermBufferLength(TERM_BYTES)
                .ipcMtuLength(MTU_BYTES)
                .spiesSimulateConnection(false));
    open(address, TO_CLIENT, TO_SERVER);
    return address;
  }

  private void open(String folder, int outgoing, int incoming) {
    aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(folder));
    out = aeron.addExclusivePublication(CHANNEL, outgoing);
    in = aeron.addSubscription(CHANNEL, incoming);
  }

  @Override
  public void serve() {
    FragmentHandler handler = assembler(this::answer);
    while (true) {
      await(handler, arrived, Long.MAX_VALUE);
    }
  }

  /// Puts long messages together outside of the heap, where short ones lie, in a buffer that need
  /// not grow.
  private static FragmentAssembler assembler(FragmentHandler handler) {
    return new FragmentAssembler(handler, 2 * LARGEST_BYTES, true);
  }

  private void answer(DirectBuffer buffer, int offset, int length, Header header) {
    arrived++;
    check(buffer, offset, length);
    int tag = buffer.getInt(offset);
    if (tag == ECHO) {
      if (content == null) {
        offer(buffer, offset, length);
      } else {
        send(ECHO, length - HEADER_BYTES, number);
      }
      return;
    }
    messages++;
    if (tag == LAST) {
      send(LAST, Integer.BYTES, messages);
      messages = 0;
    }
  }

  private void take(DirectBuffer buffer, int offset, int length, Header header) {
    arrived++;
    check(buffer, offset, length);
  }

  private void check(DirectBuffer buffer, int offset, int length) {
    Content whole = content;
    if (whole != null) {
      number =
          whole.check(memory(buffer), memoryAddress + offset + HEADER_BYTES, length - HEADER_BYTES);
      return;
    }
    number = buffer.getInt(offset + HEADER_BYTES);
    if (buffer.getInt(offset + length - Integer.BYTES) != number) {
      throw new WrongResultException("a message has arrived damaged");
    }
  }

  /// The memory of a buffer, in which it begins at [#memoryAddress].
  @SuppressWarnings("ReferenceEquality") // another buffer with the same bytes lies elsewhere
  private MemorySegment memory(DirectBuffer buffer) {
    if (buffer != known) {
      known = buffer;
      memory = MemorySegment.ofBuffer(known(buffer.byteBuffer()).duplicate().clear());
      memoryAddress = buffer.wrapAdjustment();
    }
    return memory;
  }

  /// Writes a message, and sends it.
  private void send(int tag, int bytes, int value) {
    Content whole = content;
    int length = HEADER_BYTES + bytes;
    if (whole == null) {
      stamp(message, 0, tag, bytes, value);
      offer(message, 0, length);
    } else if (length > known(out).maxPayloadLength()) {
      message.putBytes(HEADER_BYTES, whole.bytes(), 0, bytes);
      stamp(message, 0, tag, bytes, value);
      offer(message, 0, length);
    } else {
      ExclusivePublication publication = known(out);
      while (!isSent(publication.tryClaim(length, claim))) {
        Thread.onSpinWait();
      }
      MutableDirectBuffer to = claim.buffer();
      int at = claim.offset();
      to.putBytes(at + HEADER_BYTES, whole.bytes(), 0, bytes);
      stamp(to, at, tag, bytes, value);
      claim.commit();
    }
  }

  private static void stamp(MutableDirectBuffer to, int at, int tag, int bytes, int value) {
    to.putInt(at, tag);
    to.putInt(at + HEADER_BYTES, value);
    to.putInt(at + HEADER_BYTES + bytes - Integer.BYTES, value);
  }

  private static <T> T known(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("neither listening nor connected");
    }
    return part;
  }

  /// Waits while the receiver is behind.
  private void offer(DirectBuffer buffer, int offset, int length) {
    ExclusivePublication publication = known(out);
    while (!isSent(publication.offer(buffer, offset, length))) {
      Thread.onSpinWait();
    }
  }

  private static boolean isSent(long result) {
    if (result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED) {
      throw new IllegalStateException("the publication has ended: " + result);
    }
    return result >= 0;
  }

  /// Polls until more has arrived than `before`.
  @SuppressWarnings("ThreadPriorityCheck") // as Tigris does: yielding is a step before sleeping
  private void await(FragmentHandler handler, long before, long timeoutNanos) {
    Subscription subscription = known(in);
    long start = 0;
    for (int polls = 0; arrived == before; polls++) {
      if (subscription.poll(handler, FRAGMENTS) > 0) {
        polls = 0;
        start = 0;
      } else if (polls < POLLS_BEFORE_YIELDING) {
        Thread.onSpinWait();
      } else {
        long now = System.nanoTime();
        start = start == 0 ? now : start;
        if (now - start > timeoutNanos) {
          throw new IllegalStateException("nothing came for 10 seconds");
        }
        if (now - start > (content == null ? SPIN_NANOS : LONG_SPIN_NANOS)) {
          LockSupport.parkNanos(SLEEP_NANOS);
        } else {
          Thread.yield();
        }
      }
    }
  }

  @SuppressWarnings("ThreadPriorityCheck")
  private void connect(String folder) {
    if (aeron == null) {
      open(folder, TO_SERVER, TO_CLIENT);
      while (!known(out).isConnected() || !known(in).isConnected()) {
        Thread.yield();
      }
    }
  }

  @Override
  public void disconnect() {
    if (aeron != null) {
      aeron.close();
    }
    if (driver != null) {
      driver.close();
    }
  }

  @Override
  public RoundTrips pingPong(String address, int bytes, int count) {
    connect(address);
    FragmentHandler handler = assembler(this::take);
    long[] nanos = new long[count];
    long before = System.nanoTime();
    for (int i = 0; i < count; i++) {
      long expected = arrived;
      send(ECHO, bytes, i);
      await(handler, expected, PATIENCE_NANOS);
      WrongResultException.check("the number of a message", i, number);
      long after = System.nanoTime();
      nanos[i] = after - before;
      before = after;
    }
    return RoundTrips.of(nanos, 0);
  }

  @Override
  public OneWay bandwidth(String address, int bytes, int count) {
    connect(address);
    FragmentHandler handler = assembler(this::take);
    long before = arrived;
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      send(i == count - 1 ? LAST : ONE_WAY, bytes, i);
    }
    await(handler, before, PATIENCE_NANOS);
    long nanos = System.nanoTime() - start;
    WrongResultException.check("messages that have arrived", count, number);
    return new OneWay(nanos, 0, 0);
  }
}
