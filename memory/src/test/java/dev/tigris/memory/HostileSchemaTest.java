package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.schema.Conversion;
import dev.tigris.memory.schema.Schema;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Schemas, and containers, that were made to harm whoever reads or converts them.
class HostileSchemaTest {
  private static final String HEAD = "TIGRIS SCHEMA 1\nroot 0\n";

  /// Larger than what the schemas here say of it.
  static final class Grown extends Pso {
    long value;

    @Capacity(1_000_000)
    Bytes added;

    Grown(Container container) {
      super(container);
    }
  }

  private static void assertRefused(String schema, String message) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> Schema.parse(schema));
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }

  @Test
  void refusesASchemaThatTakesMuchMoreRoomThanItsText() {
    StringBuilder text = new StringBuilder(HEAD).append("struct Base 4000\n");
    for (int i = 0; i < 4000; i++) {
      text.append("  ").append(i).append(" byte f").append(i).append('\n');
    }
    for (int i = 0; i < 10_000; i++) {
      text.append("struct Sub").append(i).append(" 4000 extends 0\n");
    }
    assertRefused(text.toString(), "too many fields");
  }

  @Test
  void refusesObjectsInPlaceThatComeToMuchMoreThanTheirText() {
    StringBuilder pairs = new StringBuilder(HEAD).append("struct A0 8\n  0 ref 0 x\n");
    StringBuilder chain = new StringBuilder(HEAD).append("struct A0 8\n  0 long x\n");
    for (int i = 1; i <= 17; i++) {
      int half = 8 << (i - 1);
      pairs.append("struct A%d %d\n  0 in %d x\n".formatted(i, 2 * half, i - 1));
      pairs.append("  %d in %d y\n".formatted(half, i - 1));
    }
    for (int i = 1; i < 30_000; i++) {
      chain.append("struct A%d 8\n  0 in %d x\n".formatted(i, i - 1));
    }
    assertRefused(pairs.toString(), "too many fields");
    assertRefused(chain.toString(), "too many fields");
  }

  @Test
  void refusesTwoFieldsOfOneName() {
    assertRefused(HEAD + "struct A 8\n  0 int x\n  4 int x\n", "two fields");
    String hidden = HEAD + "struct A 8\n  0 int x\nstruct B 8 extends 0\n  4 int x\n";
    assertEquals(hidden, Schema.parse(hidden).toString());
  }

  @Test
  void takesNoTimeForWhatCannotBeReached() {
    StringBuilder text =
        new StringBuilder(HEAD)
            .append("struct ")
            .append(Grown.class.getName())
            .append(" 8\n  0 long value\n");
    for (int i = 0; i < 150_000; i++) {
      text.append("array\n");
    }
    Schema hostile = Schema.parse(text.toString());
    Container container = Jbuf.allocate(16 << 20).asContainer();
    container.rootOffset(container.allocate(container.remainingBytes()));
    Schema schema = Schema.of(Grown.class);
    assertTimeoutPreemptively(
        Duration.ofSeconds(5),
        () -> assertTrue(Conversion.of(container, hostile, schema).bytes() > 1_000_000));
  }

  /// Of each reference it is asked whether the object's class extends the declared one.
  @Test
  void takesNoTimeForClassesThatExtendEachOther() {
    int classes = 30_000;
    StringBuilder text = new StringBuilder(HEAD.replace("root 0", "root " + (classes + 3)));
    text.append("struct A 8\n  0 long x\n");
    for (int i = 0; i < classes; i++) {
      text.append("struct C%d 8 extends %d\n".formatted(i, i));
    }
    text.append("struct B 16 extends %d\n  8 long y\nlist 0\n".formatted(classes));
    text.append("struct Root 16\n  0 ref %d all\n".formatted(classes + 2));
    text.append("  8 ref %d first\n".formatted(classes + 1));
    Schema hostile = Schema.parse(text.toString());
    Schema schema =
        Schema.parse(
            HEAD.replace("root 0", "root 3")
                + "struct A 8\n  0 long x\nstruct B 24 extends 0\n  8 long y\n  16 long z\nlist 0\n"
                + "struct Root 16\n  0 ref 2 all\n  8 ref 1 first\n");
    int references = 30_000;
    Bytes bytes = Jbuf.allocate(64 + 16 + 16 + 16 + 8L * references).asBytes();
    Container container = bytes.asContainer();
    long root = container.allocate(16);
    long object = container.allocate(16);
    long list = container.allocate(16 + 8L * references);
    container.rootOffset(root);
    bytes.setLong(root, list);
    bytes.setLong(root + 8, object);
    bytes.setLong(list, references);
    bytes.setLong(list + 8, references);
    for (int i = 0; i < references; i++) {
      bytes.setLong(list + 16 + 8L * i, object);
    }
    bytes.setLong(object + 8, 42);
    assertTimeoutPreemptively(
        Duration.ofSeconds(5),
        () -> {
          Conversion conversion = Conversion.of(container, hostile, schema);
          Container converted = Jbuf.allocate(conversion.bytes()).asContainer();
          conversion.into(converted);
          assertEquals(converted.capacityBytes(), converted.usedBytes());
        });
  }

  /// The fields of superclasses stand once in a schema's text, and as often in what is copied as
  /// there are subclasses.
  @Test
  void convertsManySubclassesOfAClassWithManyFields() {
    Schema old = Schema.parse(manySubclasses(1000));
    Container container = Jbuf.allocate(1 << 16).asContainer();
    long root = container.allocate(120 * Long.BYTES);
    container.rootOffset(root);
    Conversion conversion = Conversion.of(container, old, Schema.parse(manySubclasses(1001)));
    Container converted = Jbuf.allocate(conversion.bytes()).asContainer();
    conversion.into(converted);
    assertEquals(converted.capacityBytes(), converted.usedBytes());
  }

  private static String manySubclasses(int fields) {
    int sizeBytes = (fields + 7) & -8;
    StringBuilder text = new StringBuilder(HEAD).append("struct Root 960\n");
    for (int i = 0; i < 120; i++) {
      text.append("  %d ref %d f%d\n".formatted(8 * i, i + 2, i));
    }
    text.append("struct Base %d\n".formatted(sizeBytes));
    for (int i = 0; i < fields; i++) {
      text.append("  %d byte f%d\n".formatted(i, i));
    }
    for (int i = 0; i < 120; i++) {
      text.append("struct Sub%d %d extends 1\n".formatted(i, sizeBytes));
    }
    return text.toString();
  }

  /// What has nothing to check is first read when it is copied.
  @Test
  void leavesTheOtherContainerEmptyIfTheFileWasCut(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("data");
    Schema schema = Schema.ofTable(Grown.class);
    Container source = Jbuf.map(file, Mapping.SHARED, 4 << 20, schema).asContainer();
    PsoTable<Grown> table = new PsoTable<>(source, Grown.class, 3);
    table.add().value = 7;
    table.add().value = 8;
    source.root(table);
    Container target = Jbuf.allocate(schema.convertedBytes(source)).asContainer();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(1 << 16);
    }
    assertThrows(InternalError.class, () -> schema.convert(source, target));
    assertEquals(Container.HEADER_BYTES, target.usedBytes());
    assertEquals(0, target.fingerprint());
  }

  /// Another process may write to a mapped file. Whatever is read of the capacity, the conversion
  /// neither takes less room than it fills, nor leaves the old container.
  @Test
  void staysInBoundsWhenATableChangesWhileItIsConverted() throws Exception {
    String name = Grown.class.getName();
    Schema old =
        Schema.parse("TIGRIS SCHEMA 1\nroot 1\nstruct " + name + " 8\n  0 long value\ntable 0\n");
    Schema schema = Schema.ofTable(Grown.class);
    Bytes bytes = Jbuf.allocate(4096).asBytes();
    Container container = bytes.asContainer();
    long table = container.allocate(16 + 4 * 8);
    container.rootOffset(table);
    bytes.setLong(table + 8, 4);
    long least = Container.HEADER_BYTES + 16 + 4L * PsoLayout.of(Grown.class).sizeBytes();
    AtomicBoolean done = new AtomicBoolean();
    Thread peer =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!done.get()) {
                    bytes.setLong(table + 8, 4);
                    VarHandle.fullFence(); // or the compiler leaves the first one out
                    bytes.setLong(table + 8, (1L << 61) - 2); // times 8, and 16 more: 0
                    VarHandle.fullFence();
                  }
                });
    try {
      int converted = 0;
      for (int round = 0; round < 20_000; round++) {
        try {
          assertTrue(Conversion.of(container, old, schema).bytes() >= least);
          converted++;
        } catch (CorruptContainerException e) {
          // Found out in time.
        }
      }
      assertTrue(converted > 0);
    } finally {
      done.set(true);
      peer.join();
    }
  }
}
