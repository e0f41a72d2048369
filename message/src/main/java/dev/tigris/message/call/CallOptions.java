package dev.tigris.message.call;

import dev.tigris.message.Options;
import dev.tigris.os.CheckReturnValue;
import java.time.Duration;
import java.util.Objects;

/// The options of a client.
///
/// @param deadline how long each call may take, in all its attempts
/// @param connecting how long [Calls#client] waits for the first server
/// @param mostCalls how many calls may be under way; the next one waits
/// @param argumentBytes the size of the containers that [Calls#container(Object)] gives
/// @param window how many elements of a stream may be under way
/// @param inheritsDeadline whether a call that is made while serving another one ends with that one
/// @param trusts whether results are used without a check, because the servers are known to be
///     undamaged programs
/// @param callerPolls whether the thread that makes the client sends and receives in its calls: no
///     other thread is started, or may call
/// @param tag that the server has, too
/// @param messages the options of the messages below
public record CallOptions(
    Duration deadline,
    Duration connecting,
    int mostCalls,
    int argumentBytes,
    int window,
    boolean inheritsDeadline,
    boolean trusts,
    boolean callerPolls,
    long tag,
    Options messages) {
  /// The options of messages for calls: a reply of up to 4 KiB goes without a transfer of its own.
  static final Options MESSAGES = Options.DEFAULT.withReplyBytes(4 << 10);

  /// The tag of servers, unless another one is given.
  static final long TAG = 0x5449_4752_4953_434cL; // "TIGRISCL"

  /// Ten seconds for a call, five to connect, 1,024 calls, 64 KiB, 32 elements.
  public static final CallOptions DEFAULT =
      new CallOptions(
          Duration.ofSeconds(10),
          Duration.ofSeconds(5),
          1024,
          64 << 10,
          32,
          true,
          false,
          false,
          TAG,
          MESSAGES);

  static final int MOST_CALLS = 1 << 16;
  static final int MOST_WINDOW = 1 << 12;

  /// Checks the numbers.
  ///
  /// @throws IllegalArgumentException if one is out of range
  public CallOptions {
    requirePositive("deadline", deadline);
    requirePositive("connecting", connecting);
    requireWithin("mostCalls", mostCalls, 1, MOST_CALLS);
    requireWithin("argumentBytes", argumentBytes, 128, 1 << 30);
    requireWithin("window", window, 1, MOST_WINDOW);
    Objects.requireNonNull(messages);
  }

  static void requirePositive(String name, Duration duration) {
    if (!Objects.requireNonNull(duration).isPositive()
        || duration.compareTo(Duration.ofDays(1000)) > 0) {
      throw new IllegalArgumentException(
          "%s is %s: it must be positive, and at most 1000 days".formatted(name, duration));
    }
  }

  static void requireWithin(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s is %d: it must be between %d and %d".formatted(name, value, least, most));
    }
  }

  /// Returns a copy with another time for each call.
  @CheckReturnValue
  public CallOptions withDeadline(Duration other) {
    return new CallOptions(
        other,
        connecting,
        mostCalls,
        argumentBytes,
        window,
        inheritsDeadline,
        trusts,
        callerPolls,
        tag,
        messages);
  }

  /// Returns a copy with another time to connect.
  @CheckReturnValue
  public CallOptions withConnecting(Duration other) {
    return new CallOptions(
        deadline,
        other,
        mostCalls,
        argumentBytes,
        window,
        inheritsDeadline,
        trusts,
        callerPolls,
        tag,
        messages);
  }

  /// Returns a copy for so many calls at once.
  @CheckReturnValue
  public CallOptions withMostCalls(int other) {
    return new CallOptions(
        deadline,
        connecting,
        other,
        argumentBytes,
        window,
        inheritsDeadline,
        trusts,
        callerPolls,
        tag,
        messages);
  }

  /// Returns a copy with containers of another size.
  @CheckReturnValue
  public CallOptions withArgumentBytes(int other) {
    return new CallOptions(
        deadline,
        connecting,
        mostCalls,
        other,
        window,
        inheritsDeadline,
        trusts,
        callerPolls,
        tag,
        messages);
  }

  /// Returns a copy with another window of streams.
  @CheckReturnValue
  public CallOptions withWindow(int other) {
    return new CallOptions(
        deadline,
        connecting,
        mostCalls,
        argumentBytes,
        other,
        inheritsDeadline,
        trusts,
        callerPolls,
        tag,
        messages);
  }

  /// Returns a copy whose calls inherit deadlines, or not.
  @CheckReturnValue
  public CallOptions withInheritsDeadline(boolean other) {
    return new CallOptions(
        deadline,
        connecting,
        mostCalls,
        argumentBytes,
        window,
        other,
        trusts,
        callerPolls,
        tag,
        messages);
  }

  /// Returns a copy that trusts servers, or not.
  @CheckReturnValue
  public CallOptions withTrusts(boolean other) {
    return new CallOptions(
        deadline,
        connecting,
        mostCalls,
        argumentBytes,
        window,
        inheritsDeadline,
        other,
        callerPolls,
        tag,
        messages);
  }

  /// Returns a copy whose caller polls, or not.
  @CheckReturnValue
  public CallOptions withCallerPolls(boolean other) {
    return new CallOptions(
        deadline,
        connecting,
        mostCalls,
        argumentBytes,
        window,
        inheritsDeadline,
        trusts,
        other,
        tag,
        messages);
  }

  /// Returns a copy with another tag.
  @CheckReturnValue
  public CallOptions withTag(long other) {
    return new CallOptions(
        deadline,
        connecting,
        mostCalls,
        argumentBytes,
        window,
        inheritsDeadline,
        trusts,
        callerPolls,
        other,
        messages);
  }

  /// Returns a copy with other options of messages.
  @CheckReturnValue
  public CallOptions withMessages(Options other) {
    return new CallOptions(
        deadline,
        connecting,
        mostCalls,
        argumentBytes,
        window,
        inheritsDeadline,
        trusts,
        callerPolls,
        tag,
        other);
  }
}
