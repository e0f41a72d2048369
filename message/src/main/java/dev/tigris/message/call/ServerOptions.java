package dev.tigris.message.call;

import dev.tigris.message.Options;
import dev.tigris.message.channel.Limits;
import dev.tigris.os.CheckReturnValue;
import java.util.List;
import java.util.Objects;

/// The options of a server.
///
/// @param mostRunning how many methods may run on threads of their own
/// @param mostQueued how many calls may wait for that; the next one is refused
/// @param resultBytes the size of the container that [Calls#container()] gives to a method
/// @param trusts whether arguments are used without a check, because the clients are known to be
///     undamaged programs
/// @param interceptors that see each call that is admitted, in their order
/// @param tag that clients need
/// @param messages the options of the messages below
public record ServerOptions(
    int mostRunning,
    int mostQueued,
    int resultBytes,
    boolean trusts,
    List<Interceptor> interceptors,
    long tag,
    Options messages) {
  /// 256 methods run, 1,024 wait, 64 KiB for a result.
  public static final ServerOptions DEFAULT =
      new ServerOptions(
          256, 1024, 64 << 10, false, List.of(), CallOptions.TAG, CallOptions.MESSAGES);

  /// Checks the numbers.
  ///
  /// @throws IllegalArgumentException if one is out of range
  public ServerOptions {
    Limits.requireWithin("mostRunning", mostRunning, 1, 1 << 20);
    Limits.requireWithin("mostQueued", mostQueued, 0, 1 << 20);
    Limits.requireWithin("resultBytes", resultBytes, 128, 1 << 30);
    interceptors = List.copyOf(interceptors);
    Objects.requireNonNull(messages);
  }

  /// Returns a copy in which so many methods may run.
  @CheckReturnValue
  public ServerOptions withMostRunning(int other) {
    return new ServerOptions(other, mostQueued, resultBytes, trusts, interceptors, tag, messages);
  }

  /// Returns a copy in which so many calls may wait.
  @CheckReturnValue
  public ServerOptions withMostQueued(int other) {
    return new ServerOptions(mostRunning, other, resultBytes, trusts, interceptors, tag, messages);
  }

  /// Returns a copy with containers of another size.
  @CheckReturnValue
  public ServerOptions withResultBytes(int other) {
    return new ServerOptions(mostRunning, mostQueued, other, trusts, interceptors, tag, messages);
  }

  /// Returns a copy that trusts clients, or not.
  @CheckReturnValue
  public ServerOptions withTrusts(boolean other) {
    return new ServerOptions(
        mostRunning, mostQueued, resultBytes, other, interceptors, tag, messages);
  }

  /// Returns a copy with these interceptors, in the order in which they see a call begin.
  @CheckReturnValue
  public ServerOptions withInterceptors(Interceptor... others) {
    return new ServerOptions(
        mostRunning, mostQueued, resultBytes, trusts, List.of(others), tag, messages);
  }

  /// Returns a copy with another tag.
  @CheckReturnValue
  public ServerOptions withTag(long other) {
    return new ServerOptions(
        mostRunning, mostQueued, resultBytes, trusts, interceptors, other, messages);
  }

  /// Returns a copy with other options of messages.
  @CheckReturnValue
  public ServerOptions withMessages(Options other) {
    return new ServerOptions(
        mostRunning, mostQueued, resultBytes, trusts, interceptors, tag, other);
  }
}
