package dev.tigris.bench.call;

/// A way to call: a server, and a client in another process.
interface Caller extends AutoCloseable {
  /// Serves, and returns the address.
  String serve() throws Exception;

  /// Connects to a server.
  void connect(String address) throws Exception;

  /// Calls once, with so many bytes and a number that comes back.
  ///
  /// @return the number that has come back
  long call(int bytes, long number);

  @Override
  void close();

  /// Returns the caller of a name: a provider, or `grpc`.
  static Caller named(String name) {
    return name.equals(GrpcCaller.NAME) ? new GrpcCaller() : new TigrisCaller(name);
  }
}
