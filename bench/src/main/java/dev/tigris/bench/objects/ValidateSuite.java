package dev.tigris.bench.objects;

import dev.tigris.bench.Scale;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.bench.fork.Trial;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Capacity;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoList;
import dev.tigris.memory.Utf8;
import dev.tigris.memory.schema.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Validating a container of 200,000 events, each with a reference, an enum and a text of 20 to 50
/// bytes, and a list of them all: nanoseconds for 1,000 bytes. The peer adds the same bytes up as
/// longs, which is what reading memory costs.
public final class ValidateSuite implements Suite {
  static final String FIGURE = "objects.validate";
  static final String BANDWIDTH = "sum of longs";

  private static final int EVENTS = 200_000;
  private static final int UNIT_BYTES = 1_000;

  private final Bytes bytes = Jbuf.allocate(32L << 20, "bench").asBytes();
  private final Container container = bytes.asContainer();
  private final Schema schema = Schema.ofList(Event.class);

  enum Level {
    DEBUG,
    INFO,
    WARN
  }

  static final class Event extends Pso {
    long id;
    long time;
    Level level;
    int code;
    @Nullable Event cause;

    @Capacity(60)
    Utf8 message;

    @SuppressWarnings("NullAway") // fields are memory
    Event(Container container) {
      super(container);
    }
  }

  /// Makes a suite; the measuring process calls this.
  public ValidateSuite() {
    PsoList<Event> events = new PsoList<>(container, Event.class, EVENTS);
    Event last = null;
    for (int i = 0; i < EVENTS; i++) {
      Event event = new Event(container);
      event.id = i;
      event.level = Level.values()[i % 3];
      event.cause = i % 7 == 0 ? null : last;
      event.message.set("request %d took longer than it may%s".formatted(i, "!".repeat(i % 16)));
      events.add(event);
      last = event;
    }
    container.root(events);
  }

  @Override
  public List<Contest> contests(Scale scale) {
    int units = Math.toIntExact(container.usedBytes() / UNIT_BYTES);
    long sum = sum(1);
    return List.of(
        Contest.timed(
            FIGURE,
            BANDWIDTH,
            units,
            Trial.of("validations", this::validate, rounds -> rounds * container.usedBytes()),
            Trial.of("sums", this::sum, rounds -> rounds * sum)));
  }

  private long validate(int rounds) {
    long validated = 0;
    for (int round = 0; round < rounds; round++) {
      schema.validate(container);
      validated += container.usedBytes();
    }
    return validated;
  }

  private long sum(int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
      for (long at = 0; at < container.usedBytes(); at += Long.BYTES) {
        sum += bytes.getLong(at);
      }
    }
    return sum;
  }
}
