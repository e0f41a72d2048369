package dev.tigris.cluster;

import dev.tigris.flow.Guest;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamException;
import dev.tigris.flow.StreamKind;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The streams that join a flow to the run of another program, in which it takes part. Feeds have a
/// share of what is put on a reservoir there, and drains put on one. Each stream is a guest of its
/// own.
///
/// All such streams of one flow are of one object.
///
/// A feed's stream asks to take part when its module first looks for a water: by then all drains of
/// the flow take part, and no result comes too late. If the flow is [drained][
/// dev.tigris.flow.FlowRun#drain], the run is asked to let the guest leave, and what it was given
/// before still comes.
public final class GuestStreams {
  private static final SecureRandom KEYS = new SecureRandom();
  private static final System.Logger LOG = System.getLogger(GuestStreams.class.getName());

  /// The run of another program.
  public interface Host {
    /// Asks it to let a guest take part.
    ///
    /// @param here where the guest's process listens
    /// @throws IOException if it refuses, or does not answer
    Joined join(Guest guest, Reach here) throws IOException;

    /// Asks it to let a guest leave, and returns at once.
    void leave(Guest guest);
  }

  /// The answer of a run that was asked.
  ///
  /// @param there where the process listens that has the module which stands for the guest
  /// @param done completes when the guest takes part, and fails if it cannot
  public record Joined(Reach there, CompletableFuture<Void> done) {}

  private final Host host;

  /// Joins a process to the run whose flow has nothing that joins processes.
  private @Nullable Line own;

  private int users;

  /// @param host the run in which the flow takes part
  public GuestStreams(Host host) {
    this.host = host;
  }

  /// Returns the kind of a feed's stream that takes its share of what is put on a reservoir.
  public StreamKind taking(String reservoir) {
    return new Taking(this, reservoir, null);
  }

  /// Returns the kind of a drain's stream that puts on a reservoir.
  public StreamKind giving(String reservoir) {
    return new Giving(this, reservoir, null);
  }

  /// Returns the identity of a guest's stream.
  ///
  /// @param stand the stage of the module that stands for it
  static Header.Identity identity(long key, String stand) {
    return Header.Identity.of(key, 0, stand);
  }

  private static void refuseWindow(StreamKind.Place place) {
    if (place.window() != Reservoir.DEFAULT_WINDOW) {
      throw new IllegalArgumentException(
          "stream %s has a window of %d: to and from another run it is %d"
              .formatted(place.name(), place.window(), Reservoir.DEFAULT_WINDOW));
    }
  }

  private static Guest guest(String reservoir, boolean gives, Line line) {
    return new Guest(reservoir, gives, line.exchange.program(), KEYS.nextLong());
  }

  /// The way of one process to the run.
  private record Line(Exchange exchange, Reach here, List<Fabric> fabrics) {
    static Line own() {
      Exchange exchange = new Exchange(KEYS.nextLong(), 0, StreamOptions.DEFAULT);
      List<Fabric> fabrics = new ArrayList<>();
      try {
        try {
          listen(exchange, fabrics, "shm", "*");
        } catch (NetException e) {
          LOG.log(System.Logger.Level.DEBUG, "there is no shared memory", e);
        }
        listen(exchange, fabrics, "tcp", "127.0.0.1:0");
        return new Line(exchange, exchange.reach(), fabrics);
      } catch (Throwable e) {
        exchange.close();
        fabrics.forEach(Fabric::close);
        throw e;
      }
    }

    private static void listen(
        Exchange exchange, List<Fabric> fabrics, String provider, String address) {
      Fabric fabric = Fabric.open(provider);
      fabrics.add(fabric);
      String _ = exchange.listen(fabric, address);
    }

    void close() {
      exchange.close();
      fabrics.forEach(Fabric::close);
    }
  }

  /// Returns what joins the process of a stream to the run. It is left when the stream is disposed
  /// of. All streams of one thread have to share it.
  private Line enter(@Nullable ExchangePart part) {
    if (part != null) {
      return new Line(part.exchange(), part.reach(), List.of());
    }
    synchronized (this) {
      Line line = own == null ? Line.own() : own;
      own = line;
      users++;
      return line;
    }
  }

  private void leave(@Nullable ExchangePart part) {
    Line unused = null;
    if (part == null) {
      synchronized (this) {
        users--;
        if (users == 0) {
          unused = own;
          own = null;
        }
      }
    }
    if (unused != null) {
      unused.close();
    }
  }

  /// The kinds of a flow's ends.
  sealed interface Outward extends StreamKind {
    /// Returns the kind for a part that has an exchange.
    StreamKind in(ExchangePart part);
  }

  private record Taking(GuestStreams streams, String reservoir, @Nullable ExchangePart part)
      implements Outward {
    @Override
    public StreamKind in(ExchangePart its) {
      return new Taking(streams, reservoir, its);
    }

    @Override
    public Stream open(Place place) throws IOException {
      refuseWindow(place);
      Line line = streams.enter(part);
      Guest guest = guest(reservoir, false, line);
      try {
        return line.exchange
            .receiving(
                identity(guest.key(), guest.stand()),
                line.exchange.options().withPatience(ExchangePart.WHILE_IT_RUNS),
                () -> {},
                receiver -> {
                  receiver.visits(new Share(streams.host, guest, line.here));
                  receiver.afterwards(() -> streams.leave(part));
                })
            .open(place);
      } catch (Throwable e) {
        streams.leave(part);
        throw e;
      }
    }

    @Override
    public Ends ends() {
      return Ends.RECEIVER;
    }

    @Override
    public String description() {
      return "takes from " + reservoir + " of another run";
    }
  }

  /// Asks the run for a guest's share.
  ///
  /// @param here where the guest's process listens
  private record Share(Host host, Guest guest, Reach here) implements InterfaceReceiver.Visit {
    @Override
    public void begin(InterfaceReceiver receiver) throws IOException {
      CompletableFuture<?> _ =
          host.join(guest, here)
              .done()
              .whenComplete(
                  (nothing, thrown) -> {
                    if (thrown != null) {
                      receiver.refused(thrown);
                    }
                  });
    }

    @Override
    public void end() {
      host.leave(guest);
    }
  }

  private record Giving(GuestStreams streams, String reservoir, @Nullable ExchangePart part)
      implements Outward {
    @Override
    public StreamKind in(ExchangePart its) {
      return new Giving(streams, reservoir, its);
    }

    @Override
    public Stream open(Place place) throws IOException {
      refuseWindow(place);
      Line line = streams.enter(part);
      Guest guest = guest(reservoir, true, line);
      try {
        Joined joined = streams.host.join(guest, line.here);
        await(joined, place);
        Ways.Chosen way = line.exchange.ways().to(0, joined.there());
        Stream made =
            line.exchange
                .sending(identity(guest.key(), guest.stand()), way, line.exchange.options())
                .open(place);
        ((InterfaceSender) made).afterwards(() -> streams.leave(part));
        return made;
      } catch (Throwable e) {
        streams.leave(part);
        throw e;
      }
    }

    private static void await(Joined joined, Place place) throws IOException {
      try {
        joined.done().get();
      } catch (ExecutionException e) {
        Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
        throw new IOException(cause.getMessage(), cause);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StreamException("stream %s was interrupted".formatted(place.name()), e);
      }
    }

    @Override
    public Ends ends() {
      return Ends.SENDER;
    }

    @Override
    public String description() {
      return "gives to " + reservoir + " of another run";
    }
  }

  /// The kind of the stream to a guest, in the run in which it takes part. A guest that cannot be
  /// reached has ended.
  ///
  /// @param kind connects; it throws [IllegalArgumentException] if no way leads to the guest
  record Reaching(Supplier<StreamKind> kind) implements StreamKind {
    @Override
    public Stream open(Place place) throws IOException {
      try {
        return kind.get().open(place);
      } catch (IOException | IllegalArgumentException e) { // it has told where it listens
        LOG.log(System.Logger.Level.WARNING, "a guest cannot be reached: {0}", e.getMessage());
        Stream ended = StreamKind.memory().open(place);
        ended.stop();
        return ended;
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
  }
}
