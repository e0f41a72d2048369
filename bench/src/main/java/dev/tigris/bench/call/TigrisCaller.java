package dev.tigris.bench.call;

import dev.tigris.message.call.CallOptions;
import dev.tigris.message.call.CallServer;
import dev.tigris.message.call.Calls;
import dev.tigris.message.call.ServerOptions;
import dev.tigris.net.Fabric;
import org.jspecify.annotations.Nullable;

/// Our calls: methods run in the handler, and the caller polls. Arguments are made where they are
/// sent from, results are copied out of the arguments.
final class TigrisCaller implements Caller {
  private final String provider;
  private final Fabric fabric;
  private @Nullable CallServer server;
  private @Nullable Echo echo;

  TigrisCaller(String provider) {
    this.provider = provider;
    this.fabric = Fabric.open(provider);
  }

  /// Returns its arguments.
  private static final class Server implements Echo {
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
  }

  @Override
  public String serve() {
    CallServer made =
        Calls.serve(
            fabric,
            "echo@" + (provider.equals("shm") ? "*" : "127.0.0.1:0"),
            ServerOptions.DEFAULT,
            Calls.service(Echo.class, new Server()).inHandler());
    server = made;
    return made.address();
  }

  @Override
  public void connect(String address) {
    echo =
        Calls.client(
            Echo.class, fabric, "echo@" + address, CallOptions.DEFAULT.withCallerPolls(true));
  }

  @Override
  public long call(int bytes, long number) {
    Echo its = echo;
    if (its == null) {
      throw new IllegalStateException("it is not connected");
    }
    return switch (bytes) {
      case 32 -> small(its, number);
      case 288 -> medium(its, number);
      case 1344 -> large(its, number);
      default -> throw new IllegalArgumentException("no object has %d bytes".formatted(bytes));
    };
  }

  private static long small(Echo echo, long number) {
    Ask.Small ask = new Ask.Small(Calls.container(echo, 1024));
    ask.number = number;
    Ask.Small back = echo.small(ask);
    long came = back.number;
    Calls.release(echo, back);
    return came;
  }

  private static long medium(Echo echo, long number) {
    Ask.Medium ask = new Ask.Medium(Calls.container(echo, 1024));
    ask.number = number;
    Ask.Medium back = echo.medium(ask);
    long came = back.number;
    Calls.release(echo, back);
    return came;
  }

  private static long large(Echo echo, long number) {
    Ask.Large ask = new Ask.Large(Calls.container(echo, 2048));
    ask.number = number;
    Ask.Large back = echo.large(ask);
    long came = back.number;
    Calls.release(echo, back);
    return came;
  }

  @Override
  public void close() {
    Echo its = echo;
    if (its != null) {
      Calls.close(its);
    }
    CallServer serving = server;
    if (serving != null) {
      serving.close();
    }
    fabric.close();
  }
}
