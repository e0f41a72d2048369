package dev.tigris.message.call;

import dev.tigris.message.Options;
import dev.tigris.message.channel.Limits;
import dev.tigris.os.CheckReturnValue;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/// The options of a client.
///
/// @param deadline how long each call may take, in all its attempts
/// @param connecting how long [Calls#client] waits for the first server to answer; where none
///     listens, it fails at once
/// @param mostCalls how many calls may be under way; the next one waits
/// @param argumentBytes the size of the containers that [Calls#container(Object)] gives
/// @param window how many elements of a stream may be under way
/// @param inheritsDeadline whether a call that is made while serving another one ends with that one
/// @param trusts whether results are used without a check, because the servers are known to be
///     undamaged programs
/// @param callerPolls whether the thread that makes the client sends and receives in its calls: no
///     other thread is started, or may call
/// @param interceptors that see each call, in their order
/// @param policy that chooses among several servers
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
    List<Interceptor> interceptors,
    CallPolicy policy,
    long tag,
    Options messages) {
  /// The options of messages for calls: a reply of up to 4 KiB goes without a transfer of its own.
  static final Options MESSAGES = Options.DEFAULT.withReplyBytes(4 << 10);

  /// The tag of servers, unless another one is given.
  static final long TAG = 0x5449_4752_4953_434cL; // "TIGRISCL"

  /// Ten seconds for a call, ten to connect, 1,024 calls, 64 KiB, 32 elements.
  public static final CallOptions DEFAULT =
      new CallOptions(
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          1024,
          64 << 10,
          32,
          true,
          false,
          false,
          List.of(),
          CallPolicy.leastOutstanding(),
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
    Limits.requireWithin("mostCalls", mostCalls, 1, MOST_CALLS);
    Limits.requireWithin("argumentBytes", argumentBytes, 128, 1 << 30);
    Limits.requireWithin("window", window, 1, MOST_WINDOW);
    interceptors = List.copyOf(interceptors);
    Objects.requireNonNull(policy);
    Objects.requireNonNull(messages);
  }

  static void requirePositive(String name, Duration duration) {
    if (!Objects.requireNonNull(duration).isPositive()
        || duration.compareTo(Duration.ofDays(1000)) > 0) {
      throw new IllegalArgumentException(
          "%s is %s: it must be positive, and at most 1000 days".formatted(name, duration));
    }
  }

  /// Returns a copy with another time for each call.
  @CheckReturnValue
  public CallOptions withDeadline(Duration other) {
    return with(copy -> copy.deadline = other);
  }

  /// Returns a copy with another time to connect.
  @CheckReturnValue
  public CallOptions withConnecting(Duration other) {
    return with(copy -> copy.connecting = other);
  }

  /// Returns a copy for so many calls at once.
  @CheckReturnValue
  public CallOptions withMostCalls(int other) {
    return with(copy -> copy.mostCalls = other);
  }

  /// Returns a copy with containers of another size.
  @CheckReturnValue
  public CallOptions withArgumentBytes(int other) {
    return with(copy -> copy.argumentBytes = other);
  }

  /// Returns a copy with another window of streams.
  @CheckReturnValue
  public CallOptions withWindow(int other) {
    return with(copy -> copy.window = other);
  }

  /// Returns a copy whose calls inherit deadlines, or not.
  @CheckReturnValue
  public CallOptions withInheritsDeadline(boolean other) {
    return with(copy -> copy.inheritsDeadline = other);
  }

  /// Returns a copy that trusts servers, or not.
  @CheckReturnValue
  public CallOptions withTrusts(boolean other) {
    return with(copy -> copy.trusts = other);
  }

  /// Returns a copy whose caller polls, or not.
  @CheckReturnValue
  public CallOptions withCallerPolls(boolean other) {
    return with(copy -> copy.callerPolls = other);
  }

  /// Returns a copy with these interceptors, in the order in which they see a call begin.
  @CheckReturnValue
  public CallOptions withInterceptors(Interceptor... others) {
    return with(copy -> copy.interceptors = List.of(others));
  }

  /// Returns a copy with another policy for several servers.
  @CheckReturnValue
  public CallOptions withPolicy(CallPolicy other) {
    return with(copy -> copy.policy = other);
  }

  /// Returns a copy with another tag.
  @CheckReturnValue
  public CallOptions withTag(long other) {
    return with(copy -> copy.tag = other);
  }

  /// Returns a copy with other options of messages.
  @CheckReturnValue
  public CallOptions withMessages(Options other) {
    return with(copy -> copy.messages = other);
  }

  private CallOptions with(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return new CallOptions(
        copy.deadline,
        copy.connecting,
        copy.mostCalls,
        copy.argumentBytes,
        copy.window,
        copy.inheritsDeadline,
        copy.trusts,
        copy.callerPolls,
        copy.interceptors,
        copy.policy,
        copy.tag,
        copy.messages);
  }

  /// The options while one of them changes.
  private static final class Copy {
    private Duration deadline;
    private Duration connecting;
    private int mostCalls;
    private int argumentBytes;
    private int window;
    private boolean inheritsDeadline;
    private boolean trusts;
    private boolean callerPolls;
    private List<Interceptor> interceptors;
    private CallPolicy policy;
    private long tag;
    private Options messages;

    Copy(CallOptions from) {
      deadline = from.deadline;
      connecting = from.connecting;
      mostCalls = from.mostCalls;
      argumentBytes = from.argumentBytes;
      window = from.window;
      inheritsDeadline = from.inheritsDeadline;
      trusts = from.trusts;
      callerPolls = from.callerPolls;
      interceptors = from.interceptors;
      policy = from.policy;
      tag = from.tag;
      messages = from.messages;
    }
  }
}
