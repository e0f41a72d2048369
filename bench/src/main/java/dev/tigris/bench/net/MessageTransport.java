package dev.tigris.bench.net;

import dev.tigris.bench.WrongResultException;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.Bundle;
import dev.tigris.message.Draft;
import dev.tigris.message.Endpoint;
import dev.tigris.message.Message;
import dev.tigris.message.Options;
import dev.tigris.message.Token;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Active messages. A message of fewer than 8 bytes has no words, one of up to 128 bytes has words
/// alone, and a longer one has its bytes as payload, made where it is sent from. What does not fit
/// a packet is sent in bulk, to the segment of the server. Each side writes and reads all bytes.
///
/// Short messages one way have a session of their own with more credits, so that as many may be
/// under way as fit a part of the buffers that their rivals have. All else has the default.
final class MessageTransport implements Transport {
  private static final int LARGEST_BYTES = Content.LARGEST_BYTES;

  /// As many as the interface below has under way.
  private static final int BULK_COUNT = Transport.countFor(LARGEST_BYTES);

  static final int PACKET_BYTES = 64 << 10;
  private static final int MOST_WORD_BYTES = Endpoint.MOST_WORDS * Long.BYTES;
  private static final int BACK = 3;
  private static final long TAG = 1;
  private static final Options OPTIONS =
      Options.DEFAULT.withPayloadBytes(PACKET_BYTES).withReplyBytes(PACKET_BYTES);

  /// The longest message of those that have many credits one way.
  private static final int SHORT_BYTES = 1 << 10;

  private static final Options MANY_CREDITS = OPTIONS.withCredits(512);

  private final String provider;

  /// The line in use. A side that answers has many credits: of both sides, the smaller number
  /// holds.
  private @Nullable Line line;

  private @Nullable Line usual;
  private @Nullable Line withManyCredits;

  /// A place for each transfer that may be under way: one that is read is not overwritten.
  private final Bytes segment =
      Jbuf.allocate((long) BULK_COUNT * LARGEST_BYTES, "bench.net").asBytes();

  private final Bytes[] bulk = new Bytes[BULK_COUNT];
  private final Runnable[] whenFree = new Runnable[BULK_COUNT];
  private final long[][] words = new long[Endpoint.MOST_WORDS + 1][];
  private final Content content = new Content();
  private @Nullable Bytes echo;

  /// The number of the message that has arrived last, and how many have.
  private int number;

  private long arrived;
  private int messages;
  private long allocatedBefore;
  private long peerAllocated;

  /// Which of the long messages can be written: a bit for each.
  private int free = (1 << BULK_COUNT) - 1;

  MessageTransport(String provider) {
    this.provider = provider;
    for (int i = 0; i < words.length; i++) {
      words[i] = new long[i];
    }
    for (int i = 0; i < bulk.length; i++) {
      int bit = 1 << i;
      bulk[i] = Jbuf.allocate(LARGEST_BYTES, "bench.net").asBytes();
      whenFree[i] = () -> free |= bit;
    }
  }

  /// An endpoint in a bundle of its own.
  private record Line(Bundle bundle, Endpoint endpoint) {
    static Line open(Options options, String provider) {
      Bundle bundle = Bundle.open(options, provider);
      return new Line(bundle, bundle.endpoint("bench", TAG));
    }
  }

  private Bundle bundle() {
    return known(line).bundle();
  }

  private Endpoint endpoint() {
    return known(line).endpoint();
  }

  // ---- the side that answers

  @Override
  public String listen(String address) {
    line = Line.open(MANY_CREDITS, provider);
    Endpoint endpoint = endpoint();
    endpoint.segment(segment);
    echo = Jbuf.allocate(PACKET_BYTES, "bench.net").asBytes();
    endpoint.handler(ECHO, this::echo);
    endpoint.handler(ONE_WAY, (token, message) -> count(message));
    endpoint.handler(LAST, this::last);
    return bundle().listen(provider, address);
  }

  @Override
  public void serve() {
    while (true) {
      boolean _ = bundle().await(PATIENCE);
    }
  }

  private void echo(Token token, Message message) {
    int count = message.words();
    int bytes = (int) message.payloadBytes();
    if (bytes > 0) {
      Bytes out = known(echo);
      write(out, bytes, check(message));
      token.reply(BACK, words[0], out, 0, bytes);
    } else if (count == 0) {
      token.reply(BACK);
    } else {
      long[] back = words[count];
      for (int i = 0; i < count; i++) {
        back[i] = message.word(i);
      }
      token.reply(BACK, back, null, 0, 0);
    }
  }

  private void count(Message message) {
    if (messages++ == 0) {
      allocatedBefore = WorkerMain.allocatedBytes();
    }
    int _ = check(message);
  }

  private void last(Token token, Message message) {
    count(message);
    token.reply(BACK, messages, WorkerMain.allocatedBytes() - allocatedBefore);
    messages = 0;
  }

  private void write(Bytes to, int bytes, int value) {
    to.copyFrom(0, content.bytes(), 0, bytes);
    to.setInt(0, value);
    to.setInt(bytes - Integer.BYTES, value);
  }

  private int check(Message message) {
    int bytes = (int) message.payloadBytes();
    if (bytes > 0) {
      return content.check(message.memory(), message.memoryOffset(), bytes);
    }
    int count = message.words();
    int first = count == 0 ? 0 : (int) message.word(0);
    for (int i = 1; i < count; i++) {
      if (message.word(i) != first) {
        throw new WrongResultException("a message has arrived damaged");
      }
    }
    return first;
  }

  private static <T> T known(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("it neither listens nor is connected");
    }
    return part;
  }

  // ---- the side that measures

  private void connect(String address) {
    usual = usual == null ? connected(OPTIONS, address) : usual;
    line = usual;
  }

  private void connectWithManyCredits(String address) {
    withManyCredits = withManyCredits == null ? connected(MANY_CREDITS, address) : withManyCredits;
    line = withManyCredits;
  }

  private Line connected(Options options, String address) {
    Line made = Line.open(options, provider);
    made.endpoint().handler(BACK, this::back);
    made.endpoint().map(0, provider, address, "bench", TAG, PATIENCE);
    return made;
  }

  private void back(Token token, Message message) {
    arrived++;
    if (message.payloadBytes() > 0 || message.words() != 2) {
      number = check(message);
    } else {
      number = (int) message.word(0);
      peerAllocated = message.word(1);
    }
  }

  @Override
  public void disconnect() {
    close(usual);
    close(withManyCredits);
  }

  private static void close(@Nullable Line line) {
    if (line != null) {
      line.bundle().close();
    }
  }

  private void send(int handler, int bytes, int value) {
    Endpoint endpoint = endpoint();
    int count = bytes / Long.BYTES;
    if (bytes < Long.BYTES) {
      endpoint.request(0, handler);
    } else if (count == 1) {
      endpoint.request(0, handler, value);
    } else if (bytes <= MOST_WORD_BYTES) {
      long[] its = words[count];
      Arrays.fill(its, value);
      endpoint.request(0, handler, its, null, 0, 0);
    } else if (bytes <= PACKET_BYTES) {
      try (Draft draft = endpoint.prepare(0, handler, 0, bytes)) {
        draft.copyFrom(0, content.bytes(), 0, bytes);
        draft.setInt(0, value).setInt(bytes - Integer.BYTES, value).commit();
      }
    } else {
      sendInBulk(handler, bytes, value);
    }
  }

  private void sendInBulk(int handler, int bytes, int value) {
    while (free == 0) {
      int _ = bundle().poll();
    }
    int which = Integer.numberOfTrailingZeros(free);
    free &= ~(1 << which);
    Bytes payload = bulk[which];
    write(payload, bytes, value);
    long place = (long) which * LARGEST_BYTES;
    endpoint().bulkInto(0, handler, words[0], payload, 0, bytes, place, whenFree[which]);
  }

  private void await(long before) {
    while (arrived == before) {
      if (!bundle().await(PATIENCE)) {
        throw new IllegalStateException("nothing came for 10 seconds");
      }
    }
  }

  @Override
  public RoundTrips pingPong(String address, int bytes, int count) {
    connect(address);
    long[] nanos = new long[count];
    long allocated = WorkerMain.allocatedBytes();
    long before = System.nanoTime();
    for (int i = 0; i < count; i++) {
      long last = arrived;
      send(ECHO, bytes, i);
      await(last);
      if (number != i && bytes >= Long.BYTES) {
        throw new WrongResultException("another message came back");
      }
      long after = System.nanoTime();
      nanos[i] = after - before;
      before = after;
    }
    return RoundTrips.of(nanos, WorkerMain.allocatedBytes() - allocated);
  }

  @Override
  public OneWay bandwidth(String address, int bytes, int count) {
    if (bytes <= SHORT_BYTES) {
      connectWithManyCredits(address);
    } else {
      connect(address);
    }
    long allocated = WorkerMain.allocatedBytes();
    long last = arrived;
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      send(i == count - 1 ? LAST : ONE_WAY, bytes, i);
    }
    await(last);
    long nanos = System.nanoTime() - start;
    allocated = WorkerMain.allocatedBytes() - allocated;
    WrongResultException.check("messages that have arrived", count, number);
    return new OneWay(nanos, allocated, peerAllocated);
  }
}
