package dev.tigris.cluster;

import dev.tigris.flow.Flow;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamException;
import dev.tigris.flow.StreamKind;
import dev.tigris.memory.PageKind;
import dev.tigris.net.Attributes;
import dev.tigris.net.Connection;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import dev.tigris.net.VirtualInterface;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/// Joins the flows of several processes by streams over virtual interfaces. Each process makes one
/// exchange for a run.
///
/// **One flow in several processes.** Each describes all of it, and runs its [part][#part].
///
/// **Flows of their own.** Both ends name the stream that is to join them:
///
/// ```java
/// // the process that receives
/// String address = exchange.listen(fabric, "127.0.0.1:0");
/// Flow.named("count").stage("count", Counter::new).feed("count", exchange.receiving("words"));
/// // the process that sends
/// Flow.named("read").source("read", Reader::new)
///     .drain("read", Reservoir.roundRobin(), exchange.sending("words", fabric, address));
/// ```
///
/// **Connecting.** The thread of the sending module connects as its stream is attached, and the
/// receiving module's thread accepts between two calls of its module. So a module waits for the
/// modules behind it only, and nothing deadlocks as long as no module sends to itself, be it
/// through others. Processes may start in any order.
///
/// **Ends.** A sender that has ended its stream waits until the receiver has finished all waters.
/// A receiver that stops early is told to its sender. If an end is lost, the module at the other
/// one fails: a lost sender never looks like the end of its stream.
///
/// Each module that sends or receives uses the streams of one exchange only.
///
/// Thread rule: any thread.
public final class Exchange implements AutoCloseable {
  /// A window of waters is memory of the receiver, and descriptors of both.
  private static final int MOST_WINDOW = 1024;

  private static final long PAUSE_NANOS = 20_000_000;

  private final long run;
  private final int attempt;
  private final StreamOptions options;
  private final Requests requests;
  private final Ways ways = new Ways(Host.identity());
  private final StandIn helper = new StandIn();
  private final ThreadLocal<QueueMover> movers;

  /// Makes an exchange.
  ///
  /// @param run the number of the run, equal in all of its processes, and unlike that of any other
  /// @param attempt which attempt it is, from 0: nothing of an earlier one is taken
  /// @param options how its streams work
  public Exchange(long run, int attempt, StreamOptions options) {
    this(run, attempt, options, LockSupport::parkNanos);
  }

  /// Makes one whose threads wait in a way of the caller's, while they have no queue to wait in.
  Exchange(long run, int attempt, StreamOptions options, LongConsumer parks) {
    this.run = run;
    this.attempt = attempt;
    this.options = Objects.requireNonNull(options, "options");
    this.requests = new Requests(options.patience());
    this.movers = ThreadLocal.withInitial(() -> new QueueMover(helper, parks));
  }

  /// Listens for senders, at an address of the fabric's own form. It may be called for several
  /// fabrics.
  ///
  /// @return the address to send to
  /// @throws NetException if that is not possible
  public String listen(Fabric fabric, String address) {
    var listener = fabric.listen(address);
    requests.take(fabric, listener);
    ways.add(fabric, listener.address());
    return listener.address();
  }

  /// Returns where this process listens, to be told to the others.
  public Reach reach() {
    return ways.reach();
  }

  /// Returns the part of a flow that this process runs, for [Flow#start(FlowPart)]. Each process
  /// describes the whole flow, and has an exchange of one run and attempt. Streams to a process on
  /// this host go over shared memory if both exchanges listen on `shm`, and all others over the
  /// first fabric on which this exchange listens and that one, too; the log says which.
  ///
  /// ```java
  /// exchange.listen(shm, "*");
  /// exchange.listen(tls, "10.0.0.1:0");
  /// List<Reach> processes = tellEachOther(exchange.reach());
  /// flow.start(exchange.part(flow, Placement.spread(flow.graph(), 4), self, processes)).await();
  /// ```
  ///
  /// A part can be started once. No module is made here before all streams from other processes are
  /// connected.
  ///
  /// @param flow the whole flow
  /// @param placement where each replica runs; the same in all processes
  /// @param self the number of this process
  /// @param processes where each process listens, by its number
  /// @throws IllegalArgumentException if there is no process of the number `self`
  public ProcessPart part(Flow flow, Placement placement, int self, List<Reach> processes) {
    return new ExchangePart(this, flow, placement, self, processes);
  }

  /// Connects one member of a group with all others, which call this, too: each process of a run
  /// has one member. It waits for them, for as long as streams wait for each other.
  ///
  /// @param name the group's, unique in the run
  /// @param self the number of this member
  /// @param members where the process of each member listens, by its number
  /// @param lanes the attributes of the interfaces between each two members
  /// @throws IOException if a member cannot be reached, or does not come in time
  /// @throws IllegalArgumentException if there is no member of the number `self`
  public Mesh mesh(String name, int self, List<Reach> members, List<Attributes> lanes)
      throws IOException, InterruptedException {
    return new MeshMaker(this, requests, self, members, lanes, options.patience()).make(name);
  }

  /// Returns a number that names the attempt of the run for others, which do not learn the run's.
  long program() {
    byte[] numbers = ByteBuffer.allocate(16).putLong(run).putLong(attempt).array();
    return UUID.nameUUIDFromBytes(numbers).getMostSignificantBits();
  }

  StreamOptions options() {
    return options;
  }

  Ways ways() {
    return ways;
  }

  /// Returns the kind of the sending end of one stream.
  ///
  /// @param stream the stream's name, unique in the run
  /// @param fabric carries it
  /// @param address where the process of the receiving end listens
  public StreamKind sending(String stream, Fabric fabric, String address) {
    return sending(stream, fabric, address, options);
  }

  /// Returns that of a stream with options of its own.
  StreamKind sending(String stream, Fabric fabric, String address, StreamOptions its) {
    return sending(identity(stream), new Ways.Chosen(fabric, address), its);
  }

  StreamKind sending(Header.Identity identity, Ways.Chosen way, StreamOptions its) {
    return new SendingKind(identity, way.fabric(), way.address(), its);
  }

  /// Returns the kind of the receiving end of one stream. The sender may use any fabric that this
  /// exchange listens on.
  ///
  /// @param stream the stream's name, unique in the run
  public StreamKind receiving(String stream) {
    return receiving(stream, () -> {});
  }

  /// Returns the kind of the receiving end of one stream, which tells when it is connected.
  StreamKind receiving(String stream, Runnable connected) {
    return receiving(stream, options, connected);
  }

  /// Returns that of a stream with options of its own.
  StreamKind receiving(String stream, StreamOptions its, Runnable connected) {
    return receiving(identity(stream), its, connected, _ -> {});
  }

  /// Returns that of a stream which is told more of before it is used.
  StreamKind receiving(
      Header.Identity identity,
      StreamOptions its,
      Runnable connected,
      Consumer<InterfaceReceiver> before) {
    return new ReceivingKind(identity, its, connected, before);
  }

  Header.Identity identity(String stream) {
    if (stream.isBlank()
        || stream.getBytes(StandardCharsets.UTF_8).length > InterfaceStream.MOST_TEXT_BYTES) {
      throw new IllegalArgumentException(
          "'%s' names no stream: take a name of 1 to %d bytes"
              .formatted(stream, InterfaceStream.MOST_TEXT_BYTES));
    }
    return Header.Identity.of(run, attempt, stream);
  }

  private static void refuseWideWindow(StreamKind.Place place) {
    if (place.window() > MOST_WINDOW) {
      throw new IllegalArgumentException(
          "stream %s has a window of %d waters: over virtual interfaces it has at most %d"
              .formatted(place.name(), place.window(), MOST_WINDOW));
    }
  }

  private final class SendingKind implements StreamKind {
    private final Header.Identity identity;
    private final Fabric fabric;
    private final String address;
    private final StreamOptions options;

    SendingKind(Header.Identity identity, Fabric fabric, String address, StreamOptions options) {
      this.options = options;
      this.identity = identity;
      this.fabric = Objects.requireNonNull(fabric, "fabric");
      this.address = Objects.requireNonNull(address, "address");
    }

    @Override
    public Stream open(Place place) throws IOException {
      refuseWideWindow(place);
      QueueMover mover = movers.get();
      try {
        VirtualInterface made = connect(mover, place.window());
        PageKind pages = ways.isMemory(fabric) ? PageKind.SHARED : PageKind.ORDINARY;
        InterfaceSender sender = new InterfaceSender(place, mover, identity, options, made, pages);
        mover.add(sender);
        return sender;
      } finally {
        mover.closeIfUnused();
      }
    }

    private VirtualInterface connect(QueueMover mover, int window) throws IOException {
      long end = System.nanoTime() + options.patience().toNanos();
      while (true) {
        long left = Math.max(0, end - System.nanoTime());
        try {
          Connection answer =
              fabric.connect(
                  address,
                  identity.hash(),
                  mover.queue(fabric),
                  InterfaceSender.attributes(window, options),
                  Duration.ofNanos(left));
          if (answer instanceof Connection.Refused(var reason, _, _)
              && reason == Connection.Reason.NOBODY_LISTENS
              && left > 0) {
            LockSupport.parkNanos(this, PAUSE_NANOS); // that process may be about to start
          } else {
            return answer.get();
          }
        } catch (NetException e) {
          if (Thread.currentThread().isInterrupted()) {
            throw new StreamException(
                "interrupted while stream %s was connected".formatted(identity.name()),
                new InterruptedException());
          }
          throw new IOException(
              "stream %s has no connection to its receiver: %s"
                  .formatted(identity.name(), e.getMessage()),
              e);
        }
      }
    }

    @Override
    public Ends ends() {
      return Ends.SENDER;
    }

    @Override
    public boolean isBetweenProcesses() {
      return true;
    }

    @Override
    public String description() {
      return "sends " + identity.name();
    }
  }

  private final class ReceivingKind implements StreamKind {
    private final Header.Identity identity;
    private final StreamOptions options;
    private final Runnable connected;
    private final Consumer<InterfaceReceiver> before;

    ReceivingKind(
        Header.Identity identity,
        StreamOptions options,
        Runnable connected,
        Consumer<InterfaceReceiver> before) {
      this.options = options;
      this.identity = identity;
      this.connected = connected;
      this.before = before;
    }

    @Override
    public Stream open(Place place) {
      refuseWideWindow(place);
      QueueMover mover = movers.get();
      InterfaceReceiver receiver =
          new InterfaceReceiver(place, mover, identity, options, requests, connected);
      before.accept(receiver);
      requests.add(receiver);
      mover.add(receiver);
      return receiver;
    }

    @Override
    public Ends ends() {
      return Ends.RECEIVER;
    }

    @Override
    public boolean isBetweenProcesses() {
      return true;
    }

    @Override
    public String description() {
      return "receives " + identity.name();
    }
  }

  /// Stops listening, and helping modules that compute. Streams that are connected go on.
  @Override
  public void close() {
    requests.close();
    helper.close();
  }
}
