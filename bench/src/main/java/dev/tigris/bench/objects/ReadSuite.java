package dev.tigris.bench.objects;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import dev.tigris.bench.Scale;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.bench.fork.Trial;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PsoCursor;
import dev.tigris.memory.PsoTable;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.fory.Fory;

/// Reading a log of 10,000 records with text, from its bytes to an answer that a little of every
/// field goes into.
///
/// A path is looked for, and of the message the length is asked. What decodes a text only when it
/// is asked to has less to do, and that is what is measured. So FlatBuffers and SBE stand here
/// twice: with their accessors that give Strings, and with those that give bytes in place.
///
/// The peers are set up for what they are best at, as in [RoundTripSuite].
public final class ReadSuite implements Suite {
  static final String FIGURE = "objects.read";
  static final String JAVA = "Java serialization";
  static final String KRYO = "Kryo";
  static final String FORY = "Fory";
  static final String FLATBUFFERS = "FlatBuffers";
  static final String FLATBUFFERS_BYTES = "FlatBuffers, text not decoded";
  static final String SBE = "SBE";
  static final String SBE_BYTES = "SBE, text not decoded";

  private static final int RECORDS = 10_000;
  private static final String WANTED = PlainLogRecord.path(7);
  private static final byte[] WANTED_BYTES = WANTED.getBytes(StandardCharsets.UTF_8);

  private final PlainLogRecord[] log = new PlainLogRecord[RECORDS];
  private final long answer;

  private final Bytes objects = Jbuf.allocate(2 << 20, "bench").asBytes();

  private final Kryo kryo = new Kryo();
  private final byte[] kryoBytes;
  private final Input kryoInput = new Input();

  private final Fory fory =
      Fory.builder()
          .withXlang(false)
          .withRefTracking(false)
          .requireClassRegistration(true)
          .withCompatible(false)
          .build();
  private final byte[] foryBytes;

  private final byte[] javaBytes;

  private final ByteBuffer flat;
  private final UnsafeBuffer sbe = new UnsafeBuffer(ByteBuffer.allocateDirect(2 << 20));
  private final int sbeBytes;

  /// Makes a suite; the measuring process calls this.
  public ReadSuite() throws IOException {
    LogAnswer expected = new LogAnswer();
    for (int i = 0; i < RECORDS; i++) {
      log[i] = PlainLogRecord.of(i);
      expected.add(log[i], WANTED);
    }
    answer = expected.mixed();
    Container container = objects.asContainer();
    PsoTable<LogRecord> table = new PsoTable<>(container, LogRecord.class, RECORDS);
    container.root(table);
    for (PlainLogRecord from : log) {
      table.add().fill(from);
    }

    kryo.setReferences(false);
    kryo.register(Level.class);
    kryo.register(PlainLogRecord.class);
    kryo.register(PlainLogRecord[].class);
    Output output = new Output(1 << 20, -1);
    kryo.writeObject(output, log);
    kryoBytes = output.toBytes();

    fory.register(Level.class);
    fory.register(PlainLogRecord.class);
    fory.register(PlainLogRecord[].class);
    foryBytes = fory.serialize(log);

    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream stream = new ObjectOutputStream(bytes)) {
      stream.writeObject(log);
    }
    javaBytes = bytes.toByteArray();

    flat = FlatLogRecord.write(log);
    sbeBytes = SbeLogRecord.write(log, sbe);
  }

  @Override
  public List<Contest> contests(Scale scale) {
    Trial subject = trial("a table of records", this::objects);
    return List.of(
        contest(JAVA, subject, this::serialization),
        contest(KRYO, subject, this::kryos),
        contest(FORY, subject, this::forys),
        contest(FLATBUFFERS, subject, this::flatStrings),
        contest(FLATBUFFERS_BYTES, subject, this::flatBytes),
        contest(SBE, subject, this::sbeStrings),
        contest(SBE_BYTES, subject, this::sbeBytes));
  }

  private Contest contest(String peer, Trial subject, Trial.Body body) {
    return Contest.timed(FIGURE, peer, RECORDS, subject, trial("a log through " + peer, body));
  }

  private Trial trial(String what, Trial.Body body) {
    return Trial.of(what, body, rounds -> rounds * answer);
  }

  /// The container is opened each time, as one that has just arrived is.
  private long objects(int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
      PsoTable<LogRecord> table =
          Objects.requireNonNull(objects.asContainer().rootTable(LogRecord.class));
      sum += read(table);
    }
    return sum;
  }

  private static long read(PsoTable<LogRecord> table) {
    LogAnswer found = new LogAnswer();
    for (PsoCursor<LogRecord> cursor = table.cursor(); cursor.next(); ) {
      LogRecord at = cursor.element();
      found.add(
          at.path.contentEquals(WANTED_BYTES),
          at.latencyMicros,
          at.level == Level.ERROR,
          at.message.lengthBytes(),
          at.timestamp);
    }
    return found.mixed();
  }

  private static long read(PlainLogRecord[] records) {
    LogAnswer found = new LogAnswer();
    for (PlainLogRecord at : records) {
      found.add(at, WANTED);
    }
    return found.mixed();
  }

  private long serialization(int rounds) throws IOException, ClassNotFoundException {
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
      try (ObjectInputStream stream = new ObjectInputStream(new ByteArrayInputStream(javaBytes))) {
        sum += read((PlainLogRecord[]) stream.readObject());
      }
    }
    return sum;
  }

  private long kryos(int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
      kryoInput.setBuffer(kryoBytes);
      sum += read(kryo.readObject(kryoInput, PlainLogRecord[].class));
    }
    return sum;
  }

  private long forys(int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
      sum += read((PlainLogRecord[]) fory.deserialize(foryBytes));
    }
    return sum;
  }

  private long flatStrings(int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
      FlatLogRecord.Log read = new FlatLogRecord.Log().assign(flat);
      FlatLogRecord at = new FlatLogRecord();
      LogAnswer found = new LogAnswer();
      for (int i = 0; i < read.length(); i++) {
        read.record(at, i);
        found.add(
            at.path().equals(WANTED),
            at.latencyMicros(),
            at.level() == Level.ERROR.code,
            at.message().length(),
            at.timestamp());
      }
      sum += found.mixed();
    }
    return sum;
  }

  private long flatBytes(int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
      FlatLogRecord.Log read = new FlatLogRecord.Log().assign(flat);
      FlatLogRecord at = new FlatLogRecord();
      LogAnswer found = new LogAnswer();
      for (int i = 0; i < read.length(); i++) {
        read.record(at, i);
        found.add(
            at.pathIs(WANTED_BYTES),
            at.latencyMicros(),
            at.level() == Level.ERROR.code,
            at.messageLength(),
            at.timestamp());
      }
      sum += found.mixed();
    }
    return sum;
  }

  private long sbeStrings(int rounds) {
    long sum = 0;
    SbeLogRecord at = new SbeLogRecord();
    for (int round = 0; round < rounds; round++) {
      LogAnswer found = new LogAnswer();
      for (int offset = 0; offset < sbeBytes; offset = at.limit()) {
        at.wrapAndApplyHeader(sbe, offset);
        found.add(
            at.text().equals(WANTED),
            at.latencyMicros(),
            at.level() == Level.ERROR,
            at.text().length(),
            at.timestamp());
      }
      sum += found.mixed();
    }
    return sum;
  }

  private long sbeBytes(int rounds) {
    long sum = 0;
    SbeLogRecord at = new SbeLogRecord();
    UnsafeBuffer wanted = new UnsafeBuffer(WANTED_BYTES);
    UnsafeBuffer path = new UnsafeBuffer();
    for (int round = 0; round < rounds; round++) {
      LogAnswer found = new LogAnswer();
      for (int offset = 0; offset < sbeBytes; offset = at.limit()) {
        at.wrapAndApplyHeader(sbe, offset);
        at.wrapText(path);
        found.add(
            path.compareTo(wanted) == 0,
            at.latencyMicros(),
            at.level() == Level.ERROR,
            at.skipText(),
            at.timestamp());
      }
      sum += found.mixed();
    }
    return sum;
  }
}
