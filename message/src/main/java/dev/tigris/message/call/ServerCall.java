// Over 400 lines: a call from its arguments to its result, and what handles of methods use of it.
package dev.tigris.message.call;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.CorruptContainerException;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.memory.Pso;
import dev.tigris.memory.internal.ObjectAccess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A call at the server.
///
/// ```text
///   QUEUED --> RUNNING --> DONE: the reply waits, or is not wanted
/// ```
///
/// Thread rule: the server's thread until the method runs, then the thread of the method until that
/// has ended, then the server's again.
final class ServerCall implements CallContext, CallInfo {
  private static final ThreadLocal<@Nullable ServerCall> CURRENT = new ThreadLocal<>();
  private static final int MOST_TEXT = 1 << 10;

  private final ServerHub server;
  private @Nullable ServerSession session;
  private @Nullable ServerMethod method;
  private long id;
  private long deadline;
  final long[] words = new long[Invocation.HEAD + ServiceModel.MOST_PARAMETERS];
  @Nullable CallBuffer request;
  long requestBytes;
  private long arrivedAt;

  /// How many interceptors have seen it begin.
  private int begun;

  private @Nullable Object event;
  private boolean isRetained;

  private volatile boolean isCancelled;
  private @Nullable Thread thread;

  /// Of a stream: how many items may be sent.
  private final Semaphore granted = new Semaphore(0);

  /// Of a stream: how many items more may be in memory, whatever the client has asked for.
  private final Semaphore room = new Semaphore(0);

  // ---- how it ended
  private Status status = Status.OK;
  private boolean hasRun = true;
  private long word;
  @Nullable CallBuffer reply;
  private long replyBytes;
  private volatile @Nullable CompletableFuture<?> future;
  private @Nullable Results<?> results;

  ServerCall(ServerHub server) {
    this.server = server;
  }

  /// Makes it a call that has arrived, whose words are there.
  void begin(ServerSession from, ServerMethod its, long now) {
    session = from;
    method = its;
    id = words[1];
    deadline = now + Math.clamp(words[2], 0, Long.MAX_VALUE >> 2);
    if (its.isStream()) {
      int window = Math.clamp(words[3], 1, CallOptions.MOST_WINDOW);
      granted.release(words[3] > 0 ? window : 0);
      room.release(window);
    }
    request = null;
    requestBytes = 0;
    arrivedAt = now;
    begun = 0;
    event = CallEvents.served();
    isRetained = false;
    isCancelled = false;
    status = Status.OK;
    hasRun = true;
    word = 0;
    reply = null;
    replyBytes = 0;
    future = null;
    results = null;
  }

  /// Returns the call that this thread serves; null if it serves none.
  static @Nullable ServerCall current() {
    return CURRENT.get();
  }

  long id() {
    return id;
  }

  long deadline() {
    return deadline;
  }

  ServerSession session() {
    ServerSession its = session;
    if (its == null) {
      throw new IllegalStateException("the call has not begun");
    }
    return its;
  }

  ServerMethod method() {
    ServerMethod its = method;
    if (its == null) {
      throw new IllegalStateException("the call has not begun");
    }
    return its;
  }

  @Override
  public Status status() {
    return status;
  }

  @Override
  public String methodName() {
    return method().signature().fullName();
  }

  @Override
  public Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - arrivedAt);
  }

  @Override
  public long argumentBytes() {
    return requestBytes;
  }

  @Override
  public long resultBytes() {
    return replyBytes;
  }

  /// It is over: its reply is sent, or not wanted.
  ///
  /// @param how with which status its client sees it end, or would
  void over(Status how) {
    status = how;
    server.counters().ended(how, requestBytes);
    server.counters().took(System.nanoTime() - arrivedAt);
    CallEvents.over(event, this);
    server.interceptors().after(begun, this);
  }

  /// Runs the method, if all interceptors let it.
  private void begin() throws Throwable {
    Interceptors all = server.interceptors();
    while (begun < all.count()) {
      try {
        all.before(begun, this);
      } catch (Throwable e) {
        failed(e);
        hasRun = false;
        return;
      }
      begun++;
    }
    method().run(this);
  }

  boolean hasRun() {
    return hasRun;
  }

  long word() {
    return word;
  }

  long replyBytes() {
    return replyBytes;
  }

  // ---- what the method sees

  @Override
  public Duration timeLeft() {
    return Duration.ofNanos(deadline - System.nanoTime());
  }

  @Override
  public boolean isCancelled() {
    return isCancelled || deadline - System.nanoTime() <= 0;
  }

  @Override
  public Container container() {
    CallBuffer its = reply;
    if (its == null) {
      its = server.buffers().take(server.options().resultBytes());
      reply = its;
    }
    return its.container;
  }

  @Override
  public Retained retain() {
    CallBuffer its = request;
    if (its == null || isRetained) {
      throw new IllegalStateException(
          its == null ? "the call has no arguments to keep" : "the arguments are kept already");
    }
    isRetained = true;
    server.buffers().handOut(its, its.container);
    return new Retained(server.buffers(), its.container);
  }

  // ---- reading arguments: used by handles

  long readLong(int index) {
    return words[Invocation.HEAD + index];
  }

  boolean readBoolean(int index) {
    return readLong(index) != 0;
  }

  byte readByte(int index) {
    return (byte) readLong(index);
  }

  short readShort(int index) {
    return (short) readLong(index);
  }

  char readChar(int index) {
    return (char) readLong(index);
  }

  int readInt(int index) {
    return (int) readLong(index);
  }

  float readFloat(int index) {
    return Float.intBitsToFloat((int) readLong(index));
  }

  double readDouble(int index) {
    return Double.longBitsToDouble(readLong(index));
  }

  /// Where the part of an argument begins.
  private long partAt(int index) {
    long at = 0;
    for (int i = 0; i < index; i++) {
      if (method().signature().parameters().get(i).kind().hasBytes() && readLong(i) > 0) {
        at += Payload.aligned(readLong(i));
      }
    }
    return at;
  }

  @Nullable String readText(int index) {
    long length = readLong(index);
    if (length < 0) {
      return null;
    }
    byte[] utf8 = new byte[(int) length];
    if (length > 0) {
      payload().bytes.copyTo(partAt(index), utf8, 0, utf8.length);
    }
    return new String(utf8, StandardCharsets.UTF_8);
  }

  @Nullable Bytes readBytes(int index) {
    long length = readLong(index);
    if (length < 0) {
      return null;
    }
    CallBuffer its = request;
    if (its == null) { // of no bytes
      its = server.buffers().take(1);
      request = its;
    }
    return its.bytes.slice(length == 0 ? 0 : partAt(index), length);
  }

  @Nullable Pso readObject(int index) {
    long length = readLong(index);
    if (length < 0) {
      return null;
    }
    Value value = method().signature().parameters().get(index);
    try {
      Container container =
          Payload.open(payload(), partAt(index), length, value, server.options().trusts());
      Pso object = container.root(method().parameter(index).asSubclass(Pso.class));
      if (object == null) {
        throw new CorruptContainerException("it has no root");
      }
      return object;
    } catch (RuntimeException e) {
      throw new CallException(
          Status.INVALID_ARGUMENT,
          "argument %d cannot be read: %s".formatted(index + 1, e.getMessage()),
          e);
    }
  }

  private CallBuffer payload() {
    CallBuffer its = request;
    if (its == null) {
      throw new CallException(Status.INVALID_ARGUMENT, "the arguments did not come");
    }
    return its;
  }

  /// Whether the lengths of the parts are those of the payload.
  boolean isWhole(int count) {
    List<Value> parameters = method().signature().parameters();
    if (count != Invocation.HEAD + parameters.size()) {
      return false;
    }
    long total = 0;
    long last = 0;
    for (int i = 0; i < parameters.size(); i++) {
      if (parameters.get(i).kind().hasBytes() && readLong(i) > 0) {
        if (readLong(i) > requestBytes) { // so the sum of 12 cannot overflow
          return false;
        }
        last = readLong(i);
        total += Payload.aligned(last);
      }
    }
    return total - Payload.aligned(last) + last <= requestBytes;
  }

  // ---- writing the result: used by handles

  void write() {}

  void write(long value) {
    word = value;
  }

  void write(boolean value) {
    word = value ? 1 : 0;
  }

  void write(float value) {
    word = Float.floatToRawIntBits(value);
  }

  void write(double value) {
    word = Double.doubleToRawLongBits(value);
  }

  void write(@Nullable String value) {
    dropReply();
    word = -1;
    if (value != null) {
      writeText(value.getBytes(StandardCharsets.UTF_8));
    }
  }

  private void writeText(byte[] utf8) {
    word = utf8.length;
    if (utf8.length > 0) {
      CallBuffer its = server.buffers().take(utf8.length);
      its.bytes.copyFrom(0, utf8, 0, utf8.length);
      reply = its;
      replyBytes = utf8.length;
    }
  }

  void write(@Nullable Bytes value) {
    dropReply();
    word = -1;
    if (value != null) {
      word = value.length();
      if (word > 0) {
        CallBuffer its = server.buffers().take(word);
        value.copyTo(0, its.bytes, 0, word);
        reply = its;
        replyBytes = word;
      }
    }
  }

  void write(@Nullable Pso value) {
    if (value == null) {
      dropReply();
      word = -1;
      return;
    }
    CallBuffer own = reply;
    if (own != null && ObjectAccess.OBJECTS.container(value) == own.container) {
      own.container.root(value);
      server.counters().inPlace();
    } else {
      dropReply();
      own = Payload.copy(server.buffers(), value, method().signature().result());
      reply = own;
      server.counters().copied(1);
    }
    replyBytes = own.container.usedBytes();
    word = replyBytes;
  }

  void write(@Nullable CompletableFuture<?> value) {
    future = value;
    if (value == null) {
      throw new IllegalStateException("the method returned null, and not a future");
    }
  }

  void write(@Nullable Results<?> value) {
    results = value;
    if (value == null) {
      throw new IllegalStateException("the method returned null, and not Results");
    }
  }

  private void writeBox(@Nullable Object value) {
    switch (value) {
      case null -> {
        dropReply();
        word = method().signature().result().kind().hasBytes() ? -1 : 0;
      }
      case String text -> write(text);
      case Bytes bytes -> write(bytes);
      case Pso object -> write(object);
      default -> word = Kind.word(value);
    }
  }

  private void dropReply() {
    server.buffers().give(reply);
    reply = null;
    replyBytes = 0;
  }

  // ---- running

  /// Runs the method in the handler.
  void runHere() {
    CURRENT.set(this);
    try {
      begin();
    } catch (Throwable e) { // whatever it is, the caller hears of it, and the server goes on
      failed(e);
    } finally {
      CURRENT.set(null);
    }
  }

  /// Has the method run on a thread of its own.
  void start() {
    Thread its =
        Thread.ofVirtual()
            .name("tigris-call " + method().signature().fullName())
            .unstarted(this::run);
    thread = its;
    its.start();
  }

  private void run() {
    CURRENT.set(this);
    try {
      begin();
      Results<?> stream = results;
      if (stream != null) {
        send(stream);
      }
    } catch (Throwable e) {
      failed(e);
    }
    CompletableFuture<?> promised = future;
    if (promised != null && status == Status.OK) {
      CompletableFuture<?> _ =
          promised.whenComplete(
              (value, failure) -> {
                try {
                  if (failure == null) {
                    writeBox(value);
                  } else {
                    failed(failure);
                  }
                } catch (RuntimeException | Error e) {
                  failed(e);
                }
                server.done(this);
              });
      if (isCancelled) {
        boolean _ = promised.cancel(true); // the cancellation came before the future
      }
    } else {
      server.done(this);
    }
  }

  /// Sends the elements of a stream, as they are asked for.
  private void send(Results<?> stream) throws InterruptedException {
    long number = 0;
    try (stream) {
      while (stream.hasNext()) {
        Pso element = stream.next();
        await(granted);
        await(room);
        CallBuffer item = Payload.copy(server.buffers(), element, method().signature().result());
        server.counters().copied(1);
        server.sendItem(this, number++, item);
        leaveFullContainer();
      }
    }
    dropReply();
    word = number;
  }

  /// The next element finds half of the container free. An iterator may have made more elements
  /// than it was asked for, so what it has filled is left to the collector, and not used again.
  private void leaveFullContainer() {
    CallBuffer its = reply;
    if (its != null && its.container.usedBytes() > its.capacityBytes() / 2) {
      server.buffers().leave(its);
      reply = null;
    }
  }

  private void await(Semaphore permits) throws InterruptedException {
    if (!permits.tryAcquire(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
      throw new CallException(Status.DEADLINE_EXCEEDED, "the client does not read on in time");
    }
  }

  /// The client asks for more items: all in all for no more than a window may have.
  void grant(long more) {
    int most = CallOptions.MOST_WINDOW - granted.availablePermits();
    granted.release(Math.clamp(more, 0, Math.max(0, most)));
  }

  /// The memory of an item is free again.
  void itemLeft() {
    room.release();
  }

  private void failed(Throwable e) {
    Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
    switch (cause) {
      case CallException known -> fail(known.status(), known.text(), true);
      case InterruptedException _ -> fail(Status.CANCELLED, "the method was interrupted", true);
      case CancellationException _ -> fail(Status.CANCELLED, "the future was cancelled", true);
      case MemoryBudgetException memory ->
          fail(Status.RESOURCE_EXHAUSTED, String.valueOf(memory.getMessage()), true);
      default -> {
        server.log(this, cause);
        fail(Status.UNKNOWN, told(cause), true);
      }
    }
  }

  /// Returns what an exception says of itself, which may be code of the program's.
  private static String told(Throwable cause) {
    try {
      return String.valueOf(cause);
    } catch (RuntimeException | Error e) {
      return cause.getClass().getName();
    }
  }

  /// Ends it with another status than OK.
  ///
  /// @param ran whether the method ran, or may have
  void fail(Status how, String why, boolean ran) {
    dropReply();
    status = how;
    hasRun = ran;
    byte[] utf8 = why.getBytes(StandardCharsets.UTF_8);
    try {
      writeText(utf8.length <= MOST_TEXT ? utf8 : Arrays.copyOf(utf8, MOST_TEXT));
    } catch (MemoryBudgetException | OutOfMemoryError e) {
      // there is memory for the status only, and the call ends with that
    }
  }

  /// Its client waits no more: the server's thread.
  void cancel() {
    isCancelled = true;
    Thread its = thread;
    if (its != null) {
      its.interrupt();
    }
    CompletableFuture<?> promised = future;
    if (promised != null) { // what depends on it runs in that, and may wait
      Thread _ =
          Thread.ofVirtual()
              .name("tigris-call-cancel")
              .start(
                  () -> {
                    boolean _ = promised.cancel(true);
                  });
    }
  }

  boolean isRetained() {
    return isRetained;
  }

  @Override
  public String toString() {
    return "ServerCall[%d of %s]".formatted(id, method == null ? null : method.signature().text());
  }
}
