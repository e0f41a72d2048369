package dev.tigris.bench.call;

/// A way to call: a server, and a client in another process.
interface Caller extends AutoCloseable {
  /// How many calls are under way in [#many].
  int OUTSTANDING = 64;

  /// Serves on threads of its own, and returns the address.
  String serve() throws Exception;

  /// Connects to a server.
  void connect(String address) throws Exception;

  /// Calls once, with so many bytes and a number that comes back.
  ///
  /// @return the number that has come back
  long call(int bytes, long number);

  /// Calls so often, with [#OUTSTANDING] calls under way, and checks what comes back.
  void many(int bytes, int count) throws Exception;

  /// Calls once, the way in which callers and methods may wait on threads of their own.
  default long callBlocking(int bytes, long number) {
    return call(bytes, number);
  }

  /// Returns what the thread that runs the methods has allocated.
  ///
  /// @throws UnsupportedOperationException if the server does not tell
  default long allocatedInHandler() {
    throw new UnsupportedOperationException("the server does not tell what it allocates");
  }

  @Override
  void close();

  /// Returns the caller of a name: `calls:PROVIDER`, `net:PROVIDER`, `grpc:WAY` or `aeron:WAY`.
  static Caller named(String name) {
    String[] words = name.split(":", -1);
    return switch (words[0]) {
      case "calls" -> new TigrisCaller(words[1]);
      case "net" -> new InterfaceCaller(words[1]);
      case "grpc" -> new GrpcCaller(GrpcCaller.Way.valueOf(words[1]));
      case "aeron" -> new AeronCaller(AeronCaller.Way.valueOf(words[1]));
      default -> throw new IllegalArgumentException("there is no caller " + name);
    };
  }
}
