package dev.tigris.bench.call;

import dev.tigris.bench.WrongResultException;
import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/// A request and a reply over Aeron: a publication each way, and a number by which the caller finds
/// its reply. No thread sleeps while there are calls, as Aeron recommends for the lowest latency;
/// all yield, since a machine may have fewer processors than Aeron has threads.
final class AeronCaller implements Caller {
  /// How messages go.
  enum Way {
    /// By shared memory between processes.
    IPC,
    /// By datagrams, with a media driver in each process.
    UDP
  }

  private static final int TO_SERVER = 1;
  private static final int TO_CLIENT = 2;
  private static final int FRAGMENTS = 64;
  private static final int LARGEST_BYTES = 2048;
  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Way way;
  private final UnsafeBuffer message = new UnsafeBuffer(ByteBuffer.allocateDirect(LARGEST_BYTES));
  private final FragmentHandler taking = new FragmentAssembler(this::take);
  private @Nullable MediaDriver driver;
  private @Nullable Aeron aeron;
  private @Nullable ExclusivePublication out;
  private @Nullable Subscription in;
  private volatile boolean isClosed;

  /// How many replies have come, and the number in the last one.
  private long arrived;

  private long last;

  AeronCaller(Way way) {
    this.way = way;
  }

  /// Yields while there was something to do not long ago, and sleeps for a moment otherwise: other
  /// contestants have their turns then.
  private static final class Yielding implements IdleStrategy {
    private long workedAt = System.nanoTime();

    @Override
    public void idle(int workCount) {
      if (workCount > 0) {
        reset();
      } else {
        idle();
      }
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // as Aeron's own YieldingIdleStrategy
    public void idle() {
      if (System.nanoTime() - workedAt < IDLE_NANOS) {
        Thread.yield();
      } else {
        LockSupport.parkNanos(PARK_NANOS);
      }
    }

    @Override
    public void reset() {
      workedAt = System.nanoTime();
    }

    @Override
    public String alias() {
      return "yielding";
    }
  }

  private String launch(@Nullable String known) throws IOException {
    if (known != null) {
      return known;
    }
    Path made = Files.createTempDirectory(CallWorkerMain.folder(), "aeron-");
    driver =
        MediaDriver.launch(
            new MediaDriver.Context()
                .aeronDirectoryName(made.toString())
                .dirDeleteOnStart(true)
                .threadingMode(ThreadingMode.SHARED)
                .sharedIdleStrategy(new Yielding())
                .spiesSimulateConnection(false));
    return made.toString();
  }

  private void open(String where, String outgoing, String incoming, int to, int from) {
    aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(where));
    out = aeron.addExclusivePublication(outgoing, to);
    in = aeron.addSubscription(incoming, from);
  }

  private static int freePort() throws IOException {
    try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static String udp(String port) {
    return "aeron:udp?endpoint=127.0.0.1:" + port;
  }

  @Override
  public String serve() throws IOException {
    String where = launch(null);
    String address = where;
    if (way == Way.IPC) {
      open(where, "aeron:ipc", "aeron:ipc", TO_CLIENT, TO_SERVER);
    } else {
      String own = Integer.toString(freePort());
      String clients = Integer.toString(freePort());
      open(where, udp(clients), udp(own), TO_CLIENT, TO_SERVER);
      address = own + " " + clients;
    }
    Thread _ = Thread.ofPlatform().daemon().name("echo").start(this::echo);
    return address;
  }

  private void echo() {
    FragmentHandler handler =
        new FragmentAssembler((buffer, at, length, header) -> offer(buffer, at, length));
    IdleStrategy idle = new Yielding();
    Subscription requests = known(in);
    while (!isClosed) {
      idle.idle(requests.poll(handler, FRAGMENTS));
    }
  }

  @Override
  @SuppressWarnings("ThreadPriorityCheck")
  public void connect(String address) throws IOException {
    if (way == Way.IPC) {
      open(launch(address), "aeron:ipc", "aeron:ipc", TO_SERVER, TO_CLIENT);
    } else {
      String[] ports = address.split(" ", -1);
      open(launch(null), udp(ports[0]), udp(ports[1]), TO_SERVER, TO_CLIENT);
    }
    while (!known(out).isConnected() || !known(in).isConnected()) {
      Thread.yield();
    }
  }

  private static <T> T known(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("neither serving nor connected");
    }
    return part;
  }

  private void take(DirectBuffer buffer, int offset, int length, Header header) {
    arrived++;
    last = buffer.getLong(offset);
  }

  /// Waits while the receiver is behind.
  private void offer(DirectBuffer buffer, int offset, int length) {
    ExclusivePublication publication = known(out);
    while (true) {
      long result = publication.offer(buffer, offset, length);
      if (result >= 0 || isClosed) {
        return;
      }
      if (result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED) {
        throw new IllegalStateException("the publication has ended: " + result);
      }
      Thread.onSpinWait();
    }
  }

  private void send(int bytes, long number) {
    message.putLong(0, number);
    offer(message, 0, bytes);
  }

  /// Polls until so many replies have come since the beginning.
  @SuppressWarnings("ThreadPriorityCheck")
  private void await(long count) {
    Subscription replies = known(in);
    long start = System.nanoTime();
    while (arrived < count) {
      if (replies.poll(taking, FRAGMENTS) == 0) {
        if (System.nanoTime() - start > PATIENCE_NANOS) {
          throw new IllegalStateException("nothing came for 10 seconds");
        }
        Thread.yield();
      }
    }
  }

  @Override
  public long call(int bytes, long number) {
    long before = arrived;
    send(bytes, number);
    await(before + 1);
    return last;
  }

  @Override
  public void many(int bytes, int count) {
    long before = arrived;
    for (int i = 0; i < count; i++) {
      await(before + i + 1 - OUTSTANDING);
      send(bytes, i);
    }
    await(before + count);
    WrongResultException.check("the last number", count - 1L, last);
  }

  @Override
  public void close() {
    isClosed = true;
    if (aeron != null) {
      aeron.close();
    }
    if (driver != null) {
      driver.close();
    }
  }
}
