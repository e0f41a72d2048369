package dev.tigris.bench.call;

import com.sun.management.ThreadMXBean;
import dev.tigris.bench.WrongResultException;
import dev.tigris.memory.Pso;
import dev.tigris.message.call.CallOptions;
import dev.tigris.message.call.CallServer;
import dev.tigris.message.call.Calls;
import dev.tigris.message.call.ServerOptions;
import dev.tigris.net.Fabric;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/// Our calls. The fastest have methods that run in the handler: a single caller polls by itself,
/// and many calls at a time are futures of a client with a thread. Blocking ones have threads on
/// both sides. Arguments are made where they are sent from, results are copied out of the
/// arguments.
final class TigrisCaller implements Caller {
  private static final int SMALL_BYTES = 1024;
  private static final int LARGE_BYTES = 2048;

  private final String provider;
  private final Fabric fabric;
  private @Nullable CallServer server;
  private @Nullable Clients clients;

  TigrisCaller(String provider) {
    this.provider = provider;
    this.fabric = Fabric.open(provider);
  }

  /// Clients of one server.
  ///
  /// @param polling whose caller polls
  /// @param later with a thread
  /// @param onThreads over the connections of `later`
  private record Clients(Echo polling, Echo.Later later, Echo.OnThreads onThreads) {}

  /// Returns its arguments.
  private static final class Server implements Echo.OnThreads {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Override
    public Ask.Small small(Ask.Small ask) {
      return ask;
    }

    @Override
    public Ask.Medium medium(Ask.Medium ask) {
      return ask;
    }

    @Override
    public Ask.Large large(Ask.Large ask) {
      return ask;
    }

    @Override
    public long allocated() {
      return threads.getCurrentThreadAllocatedBytes();
    }
  }

  @Override
  public String serve() {
    Server its = new Server();
    CallServer made =
        Calls.serve(
            fabric,
            "echo@" + (provider.equals("shm") ? "*" : "127.0.0.1:0"),
            ServerOptions.DEFAULT,
            Calls.service(Echo.class, its).inHandler(),
            Calls.service(Echo.OnThreads.class, its));
    server = made;
    return made.address();
  }

  @Override
  public void connect(String address) {
    String at = "echo@" + address;
    Echo polling = Calls.client(Echo.class, fabric, at, CallOptions.DEFAULT.withCallerPolls(true));
    Echo.Later later = Calls.client(Echo.Later.class, fabric, at, CallOptions.DEFAULT);
    clients = new Clients(polling, later, Calls.client(Echo.OnThreads.class, later));
  }

  private Clients clients() {
    Clients its = clients;
    if (its == null) {
      throw new IllegalStateException("it is not connected");
    }
    return its;
  }

  @Override
  public long call(int bytes, long number) {
    return call(clients().polling(), bytes, number);
  }

  @Override
  public long callBlocking(int bytes, long number) {
    return call(clients().onThreads(), bytes, number);
  }

  @Override
  public long allocatedInHandler() {
    return clients().polling().allocated();
  }

  private static IllegalArgumentException noObject(int bytes) {
    return new IllegalArgumentException("no object has %d bytes".formatted(bytes));
  }

  private static long call(Echo echo, int bytes, long number) {
    return switch (bytes) {
      case 32 -> numberOf(echo, echo.small(small(echo, number)));
      case 288 -> numberOf(echo, echo.medium(medium(echo, number)));
      case 1344 -> numberOf(echo, echo.large(large(echo, number)));
      default -> throw noObject(bytes);
    };
  }

  private static CompletableFuture<? extends Pso> begin(Echo.Later echo, int bytes, long number) {
    return switch (bytes) {
      case 32 -> echo.small(small(echo, number));
      case 288 -> echo.medium(medium(echo, number));
      case 1344 -> echo.large(large(echo, number));
      default -> throw noObject(bytes);
    };
  }

  private static Ask.Small small(Object client, long number) {
    Ask.Small ask = new Ask.Small(Calls.container(client, SMALL_BYTES));
    ask.number = number;
    return ask;
  }

  private static Ask.Medium medium(Object client, long number) {
    Ask.Medium ask = new Ask.Medium(Calls.container(client, SMALL_BYTES));
    ask.number = number;
    return ask;
  }

  private static Ask.Large large(Object client, long number) {
    Ask.Large ask = new Ask.Large(Calls.container(client, LARGE_BYTES));
    ask.number = number;
    return ask;
  }

  /// Returns the number of a result, which is given back.
  private static long numberOf(Object client, Pso back) {
    long number =
        switch (back) {
          case Ask.Small its -> its.number;
          case Ask.Medium its -> its.number;
          case Ask.Large its -> its.number;
          default -> throw new WrongResultException("an object of another class has come back");
        };
    Calls.release(client, back);
    return number;
  }

  @Override
  public void many(int bytes, int count) throws ExecutionException, InterruptedException {
    Echo.Later echo = clients().later();
    ArrayDeque<CompletableFuture<? extends Pso>> underWay = new ArrayDeque<>(OUTSTANDING);
    int back = 0;
    for (int i = 0; i < count; i++) {
      if (underWay.size() == OUTSTANDING) {
        WrongResultException.check("a number", back++, numberOf(echo, underWay.remove().get()));
      }
      underWay.add(begin(echo, bytes, i));
    }
    while (!underWay.isEmpty()) {
      WrongResultException.check("a number", back++, numberOf(echo, underWay.remove().get()));
    }
  }

  @Override
  public void close() {
    Clients its = clients;
    if (its != null) {
      Calls.close(its.polling());
      Calls.close(its.later());
    }
    CallServer serving = server;
    if (serving != null) {
      serving.close();
    }
    fabric.close();
  }
}
