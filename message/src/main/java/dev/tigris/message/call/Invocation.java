// Over 400 lines: a call from its parameters to its result, and what generated classes use of it.
package dev.tigris.message.call;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.CorruptContainerException;
import dev.tigris.memory.Pso;
import dev.tigris.memory.internal.ObjectAccess;
import dev.tigris.memory.schema.SchemaException;
import dev.tigris.message.call.ServiceModel.MethodModel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A call at the client. Only generated classes use it: [Calls#client] makes them.
///
/// ```text
///   WAITING --sent--> SENT --reply, deadline, cancel, loss--> OVER
/// ```
///
/// Thread rule: the caller's until it is started, then the client's until it is over, then the
/// caller's again.
public final class Invocation implements CallInfo {
  /// Words of a [Frames#CALL] before those of the parameters.
  static final int HEAD = 4;

  private final ClientHub client;
  private final boolean isReused;
  private MethodModel model;

  // ---- what it asks for
  final long[] words = new long[HEAD + ServiceModel.MOST_PARAMETERS];
  private @Nullable Object @Nullable [] parts;
  private int parameters;
  long deadline;
  long limitNanos;
  long startedAt;
  @Nullable CallBuffer argument;
  long argumentBytes;

  // ---- the client's
  long id;
  @Nullable Remote remote;
  boolean isLive;
  int attempts;
  long sentAt;

  /// How many interceptors have seen it begin.
  int begun;

  @Nullable Object event;

  /// How many items the server has sent, if some have not arrived; else -1.
  long streamTotal = -1;

  // ---- how it ended; written before isOver, which the caller reads first
  private Status status = Status.OK;
  private @Nullable String text;
  private long word;
  private @Nullable CallBuffer result;
  private long resultBytes;

  /// By which the client's thread hands all fields back.
  private volatile boolean isOver;

  private volatile @Nullable Thread waiter;
  private @Nullable Promise future;
  private @Nullable ClientStream<?> stream;

  /// The schema that the server has for the result, if it is another one.
  @Nullable RemoteMethod answeredBy;

  Invocation(ClientHub client, MethodModel model, boolean isReused) {
    this.client = client;
    this.model = model;
    this.isReused = isReused;
  }

  /// Makes it a new call: of a client whose caller polls.
  Invocation reuse(MethodModel now) {
    model = now;
    parameters = 0;
    parts = null;
    argument = null;
    argumentBytes = 0;
    remote = null;
    attempts = 0;
    begun = 0;
    event = null;
    streamTotal = -1;
    status = Status.OK;
    text = null;
    result = null;
    resultBytes = 0;
    isOver = false;
    waiter = null;
    future = null;
    stream = null;
    answeredBy = null;
    return this;
  }

  Signature signature() {
    return model.signature();
  }

  MethodModel model() {
    return model;
  }

  int wordCount() {
    return HEAD + parameters;
  }

  // ---- parameters

  private Invocation word(long value) {
    words[HEAD + parameters++] = value;
    return this;
  }

  /// Passes a parameter.
  public Invocation put(boolean value) {
    return word(value ? 1 : 0);
  }

  /// Passes a parameter.
  public Invocation put(byte value) {
    return word(value);
  }

  /// Passes a parameter.
  public Invocation put(short value) {
    return word(value);
  }

  /// Passes a parameter.
  public Invocation put(char value) {
    return word(value);
  }

  /// Passes a parameter.
  public Invocation put(int value) {
    return word(value);
  }

  /// Passes a parameter.
  public Invocation put(long value) {
    return word(value);
  }

  /// Passes a parameter.
  public Invocation put(float value) {
    return word(Float.floatToRawIntBits(value));
  }

  /// Passes a parameter.
  public Invocation put(double value) {
    return word(Double.doubleToRawLongBits(value));
  }

  /// Passes a parameter.
  public Invocation put(@Nullable String value) {
    return part(value);
  }

  /// Passes a parameter.
  public Invocation put(@Nullable Bytes value) {
    return part(value);
  }

  /// Passes a parameter.
  public Invocation put(@Nullable Pso value) {
    return part(value);
  }

  private Invocation part(@Nullable Object value) {
    if (value != null) {
      @Nullable Object[] its = parts;
      if (its == null) {
        its = new @Nullable Object[signature().parameters().size()];
        parts = its;
      }
      its[parameters] = value;
    }
    return word(-1);
  }

  /// Puts the payload together.
  private void encode() {
    @Nullable Object[] its = parts;
    if (its == null) {
      return;
    }
    parts = null;
    int only = only(its);
    List<Value> values = signature().parameters();
    if (only >= 0 && its[only] instanceof Pso object) {
      Container container = ObjectAccess.OBJECTS.container(object);
      CallBuffer own = container == null ? null : client.buffers().claim(container);
      if (own == null) {
        own = Payload.copy(client.buffers(), object, values.get(only));
        client.counters().copied(1);
      } else {
        own.container.root(object);
        client.counters().inPlace();
      }
      argument = own;
      argumentBytes = own.container.usedBytes();
      words[HEAD + only] = argumentBytes;
      return;
    }
    List<CallBuffer> claimed = claim(its);
    try {
      argument = Payload.join(client.buffers(), values, its, words, HEAD);
    } finally {
      claimed.forEach(client.buffers()::give); // their objects were copied
    }
    argumentBytes = 0;
    for (int i = 0; i < its.length; i++) {
      if (its[i] != null) {
        argumentBytes += Payload.aligned(words[HEAD + i]);
      }
      if (its[i] instanceof Pso) {
        client.counters().copied(1);
      }
    }
  }

  /// Takes the containers of arguments that are copied together, as it would take that of a single
  /// one.
  ///
  /// @throws IllegalStateException if the program has one no longer; then it keeps the others
  private List<CallBuffer> claim(@Nullable Object[] values) {
    List<CallBuffer> claimed = new ArrayList<>();
    for (Object value : values) {
      Container container =
          value instanceof Pso object ? ObjectAccess.OBJECTS.container(object) : null;
      if (container == null || claimed.stream().anyMatch(each -> each.container == container)) {
        continue;
      }
      try {
        CallBuffer its = client.buffers().claim(container);
        if (its != null) {
          claimed.add(its);
        }
      } catch (IllegalStateException e) {
        claimed.forEach(each -> client.buffers().handOut(each, each.container));
        throw e;
      }
    }
    return claimed;
  }

  private static int only(@Nullable Object[] parts) {
    int found = -1;
    for (int i = 0; i < parts.length; i++) {
      if (parts[i] != null) {
        if (found >= 0) {
          return -1;
        }
        found = i;
      }
    }
    return found;
  }

  // ---- the call

  /// Calls, and returns when it is over.
  ///
  /// @throws CallException if it has no result
  public void callVoid() {
    callAndWait();
    client.buffers().give(takeResult());
  }

  /// Calls, and returns the result; errors as for [#callVoid].
  public int callInt() {
    return (int) callLong();
  }

  /// Calls, and returns the result; errors as for [#callVoid].
  public long callLong() {
    callVoid();
    return word;
  }

  /// Calls, and returns the result; errors as for [#callVoid].
  public float callFloat() {
    return Float.intBitsToFloat(callInt());
  }

  /// Calls, and returns the result; errors as for [#callVoid].
  public double callDouble() {
    return Double.longBitsToDouble(callLong());
  }

  /// Calls, and returns the result; errors as for [#callVoid].
  public @Nullable String callText() {
    callAndWait();
    return text();
  }

  /// Calls, and returns the result; errors as for [#callVoid].
  public @Nullable Bytes callBytes() {
    callAndWait();
    return bytes();
  }

  /// Calls, and returns the result; errors as for [#callVoid].
  public @Nullable Pso callObject() {
    callAndWait();
    return object();
  }

  /// Calls, and returns at once.
  ///
  /// @throws UnsupportedOperationException if the caller polls
  public CompletableFuture<?> callFuture() {
    if (client.callerPolls()) {
      throw new UnsupportedOperationException(
          "a client whose caller polls has no thread that completes a future: call plain methods");
    }
    Promise its = new Promise();
    future = its;
    encode();
    client.start(this);
    return its;
  }

  /// Calls, and returns the stream of the results.
  public Results<?> callStream() {
    ClientStream<?> its =
        new ClientStream<>(client, this, model.resultType().asSubclass(Pso.class));
    stream = its;
    encode();
    client.start(this);
    return its;
  }

  @Nullable ClientStream<?> stream() {
    return stream;
  }

  private void callAndWait() {
    encode();
    client.start(this);
    await();
    if (status != Status.OK) {
      throw failure();
    }
  }

  /// Waits until it is over: at the latest soon after its deadline.
  void await() {
    if (client.callerPolls()) {
      client.pollUntilOver(this);
      return;
    }
    waiter = Thread.currentThread();
    while (!isOver) {
      LockSupport.park(this);
      if (!isOver && Thread.currentThread().isInterrupted()) {
        client.cancel(this); // which ends it
        awaitCancelled();
      }
    }
  }

  private void awaitCancelled() {
    boolean wasInterrupted = Thread.interrupted();
    while (!isOver) {
      LockSupport.park(this);
      wasInterrupted |= Thread.interrupted();
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  boolean isOver() {
    return isOver;
  }

  @Override
  public Status status() {
    return status;
  }

  @Override
  public String methodName() {
    return signature().fullName();
  }

  @Override
  public Duration timeLeft() {
    return Duration.ofNanos(deadline - System.nanoTime());
  }

  @Override
  public Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - startedAt);
  }

  @Override
  public long argumentBytes() {
    return argumentBytes;
  }

  @Override
  public long resultBytes() {
    return resultBytes;
  }

  CallException failure() {
    client.buffers().give(takeResult());
    return new CallException(
        status,
        "%s: %s".formatted(signature().fullName(), text == null || text.isEmpty() ? status : text));
  }

  private @Nullable CallBuffer takeResult() {
    CallBuffer its = result;
    result = null;
    return its;
  }

  /// The text of the result, which is copied.
  private @Nullable String text() {
    CallBuffer buffer = takeResult();
    if (word < 0) {
      client.buffers().give(buffer);
      return null;
    }
    byte[] utf8 = new byte[Math.toIntExact(word)];
    if (buffer != null) {
      buffer.bytes.copyTo(0, utf8, 0, utf8.length);
      client.buffers().give(buffer);
    }
    return new String(utf8, StandardCharsets.UTF_8);
  }

  private @Nullable Bytes bytes() {
    CallBuffer buffer = takeResult();
    if (word < 0) {
      client.buffers().give(buffer);
      return null;
    }
    CallBuffer its = buffer == null ? client.buffers().take(1) : buffer;
    Bytes view = its.bytes.slice(0, word);
    client.buffers().handOut(its, view);
    return view;
  }

  private @Nullable Pso object() {
    CallBuffer buffer = takeResult();
    if (word < 0 || buffer == null) {
      client.buffers().give(buffer);
      return null;
    }
    return object(client, buffer, word, model, answeredBy);
  }

  /// Opens what has arrived, converts it if the server has another schema, and hands it out.
  static Pso object(
      ClientHub client,
      CallBuffer arrived,
      long bytes,
      MethodModel model,
      @Nullable RemoteMethod from) {
    CallBuffer buffer = arrived;
    try {
      Value value = model.signature().result();
      if (from != null && from.resultFrom() != null) {
        Value theirs = from.resultFrom();
        Container container = Payload.open(buffer, 0, bytes, theirs, false);
        CallBuffer converted =
            Payload.convert(client.buffers(), container, theirs.its(), value.its());
        client.buffers().give(buffer);
        buffer = converted;
      } else {
        Container _ = Payload.open(buffer, 0, bytes, value, client.options().trusts());
      }
      Pso object = buffer.container.root(model.resultType().asSubclass(Pso.class));
      if (object == null) {
        throw new CorruptContainerException("the container of the result has no root");
      }
      client.buffers().handOut(buffer, buffer.container);
      return object;
    } catch (RuntimeException e) { // whatever is wrong with it, the server is to blame
      client.buffers().give(buffer);
      throw new CallException(
          e instanceof SchemaException ? Status.UNIMPLEMENTED : Status.INTERNAL,
          "%s: the result cannot be read: %s"
              .formatted(model.signature().fullName(), e.getMessage()),
          e);
    }
  }

  /// The bytes of the description of a server.
  byte[] description() {
    CallBuffer buffer = takeResult();
    if (buffer == null || word < 0 || word > Description.MOST_BYTES) {
      client.buffers().give(buffer);
      throw new IllegalArgumentException("a description of %d bytes".formatted(word));
    }
    byte[] all = new byte[(int) word];
    buffer.bytes.copyTo(0, all, 0, all.length);
    client.buffers().give(buffer);
    return all;
  }

  // ---- the client's thread

  /// It is over. The buffer of the result is the call's from now on.
  void end(Status how, @Nullable String why, long itsWord, @Nullable CallBuffer its, long bytes) {
    status = how;
    text = why;
    word = itsWord;
    result = its;
    resultBytes = bytes;
    if (how == Status.OK
        && stream == null
        && resultBytes < word
        && signature().result().kind().hasBytes()) {
      status = Status.INTERNAL;
      text = "the result has %d bytes, and says that it has %d".formatted(bytes, itsWord);
    }
    client.over(this);
    isOver = true;
    ClientStream<?> open = stream;
    Promise promised = future;
    if (promised != null) {
      client.completions().add(promised);
    } else if (open != null) {
      open.ended(status, status == Status.OK ? null : failure(), word);
    } else if (!isReused) {
      LockSupport.unpark(waiter);
    }
  }

  /// The future of the call.
  private final class Promise extends CompletableFuture<Object> implements Completions.Ended {
    @Override
    public boolean cancel(boolean mayInterrupt) {
      boolean isCancelled = super.cancel(mayInterrupt);
      if (isCancelled) {
        client.cancel(Invocation.this);
      }
      return isCancelled;
    }

    @Override
    public boolean isAwaited() {
      return getNumberOfDependents() > 0;
    }

    @Override
    public void complete() {
      Invocation.this.complete(this);
    }
  }

  private void complete(Promise promised) {
    if (status != Status.OK) {
      promised.completeExceptionally(failure());
      return;
    }
    try {
      Object value =
          switch (signature().result().kind()) {
            case TEXT -> text();
            case BYTES -> bytes();
            case OBJECT -> object();
            default -> signature().result().kind().box(word);
          };
      if (!signature().result().kind().hasBytes()) {
        client.buffers().give(takeResult());
      }
      if (!promised.complete(value)) { // it was cancelled meanwhile
        switch (value) {
          case Pso unwanted -> Calls.release(client, unwanted);
          case Bytes unwanted -> Calls.release(client, unwanted);
          case null, default -> {}
        }
      }
    } catch (RuntimeException e) {
      promised.completeExceptionally(e);
    }
  }

  @Override
  public String toString() {
    return "Invocation[%s, %s]".formatted(signature().fullName(), isOver ? status : "not over");
  }
}
