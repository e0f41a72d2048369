// Over 400 lines: one data set and its fixture, and all the ways in which it may be damaged.
package dev.tigris.flow.mirror;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.testing.host.SmallDisk;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class MirrorTest {
  private static final int DISKS = 4;
  private static final int BLOCK = 4096;

  @TempDir Path folder;
  private List<Path> disks;
  private final List<String> warnings = Collections.synchronizedList(new ArrayList<>());

  @BeforeEach
  void makeDisks() throws IOException {
    List<Path> made = new ArrayList<>();
    for (int disk = 0; disk < DISKS; disk++) {
      made.add(Files.createDirectory(folder.resolve("disk" + disk)).toRealPath());
    }
    disks = made;
  }

  private static byte[] content(int segment, int bytes) {
    byte[] content = new byte[bytes];
    new Random(segment + 57).nextBytes(content);
    return content;
  }

  /// Puts the bytes of its replica's segment, in waters that are no blocks.
  private static final class Maker implements Source {
    private final List<byte[]> segments;
    private final int waterBytes;
    private byte[] mine = {};
    private int at;

    Maker(List<byte[]> segments, int waterBytes) {
      this.segments = segments;
      this.waterBytes = waterBytes;
    }

    @Override
    public void init(ModuleContext context) {
      mine = segments.get(context.replica());
    }

    @Override
    public boolean produce(Stream out) {
      int length = Math.min(waterBytes, mine.length - at);
      if (length > 0) {
        Water water = out.spring().createWater(length);
        water.bytes().copyFrom(0, mine, at, length);
        out.put(water);
        at += length;
      }
      return at < mine.length;
    }
  }

  private static final class Collector implements Module {
    private final List<ByteArrayOutputStream> got;
    private int replica;

    Collector(List<ByteArrayOutputStream> got) {
      this.got = got;
    }

    @Override
    public void init(ModuleContext context) {
      replica = context.replica();
    }

    @Override
    public void process(Water in, Stream out) {
      byte[] bytes = new byte[in.size()];
      in.bytes().copyTo(0, bytes, 0, bytes.length);
      got.get(replica).writeBytes(bytes);
    }
  }

  private Mirror write(String name, List<byte[]> segments) throws Exception {
    Flow.named("write")
        .source("make", () -> new Maker(segments, 3000), segments.size())
        .drain("make", Mirror.writing(name, disks, false, BLOCK, 2, warnings::add))
        .build()
        .start()
        .await();
    return Mirror.open(disks.getFirst().resolve(name + ".mirror"));
  }

  private List<byte[]> segments(int... sizes) {
    List<byte[]> segments = new ArrayList<>();
    for (int size : sizes) {
      segments.add(content(segments.size(), size));
    }
    return segments;
  }

  private List<byte[]> read(Mirror mirror, int replicas) throws Exception {
    List<ByteArrayOutputStream> got = new ArrayList<>();
    for (int i = 0; i < replicas; i++) {
      got.add(new ByteArrayOutputStream());
    }
    Flow.named("read")
        .stage("collect", () -> new Collector(got), replicas)
        .feed("collect", mirror.feed())
        .build()
        .start()
        .await();
    return got.stream().map(ByteArrayOutputStream::toByteArray).toList();
  }

  private void requireRead(Mirror mirror, List<byte[]> segments) throws Exception {
    List<byte[]> got = read(mirror, segments.size());
    for (int i = 0; i < segments.size(); i++) {
      assertArrayEquals(segments.get(i), got.get(i), "segment " + i);
    }
    byte[] whole = whole(segments);
    try (MirrorFile file = mirror.openFile()) {
      assertEquals(whole.length, file.size());
      ByteBuffer all = ByteBuffer.allocate(whole.length + 1);
      assertEquals(whole.length, file.read(all, 0));
      assertArrayEquals(whole, Arrays.copyOf(all.array(), whole.length));
    }
  }

  private static byte[] whole(List<byte[]> segments) {
    var whole = new ByteArrayOutputStream();
    segments.forEach(whole::writeBytes);
    return whole.toByteArray();
  }

  @Test
  void givesBackWhatWasWritten() throws Exception {
    List<byte[]> segments = segments(10 * BLOCK, 3 * BLOCK + 17, 0, 1);
    Mirror mirror = write("data", segments);
    assertEquals(List.of(), warnings);
    assertEquals(List.of(), mirror.problems());
    assertEquals(13L * BLOCK + 18, mirror.bytes());
    requireRead(mirror, segments);
    // Two replicas read two segments each.
    List<byte[]> got = read(mirror, 2);
    assertArrayEquals(segments.get(0), got.get(0));
    assertEquals(3 * BLOCK + 18, got.get(1).length);
    // Each segment is on two disks.
    for (Path disk : disks) {
      assertEquals(3, files(disk));
    }
  }

  @Test
  void readsAtAnyPosition() throws Exception {
    List<byte[]> segments = segments(9 * BLOCK, 5 * BLOCK + 1, 7, 12 * BLOCK + 100);
    byte[] whole = whole(segments);
    var random = new Random(1);
    try (MirrorFile file = write("data", segments).openFile()) {
      for (int i = 0; i < 300; i++) {
        int from = random.nextInt(whole.length);
        int length = Math.min(whole.length - from, random.nextInt(3 * BLOCK));
        ByteBuffer part = ByteBuffer.allocate(length);
        assertEquals(length, file.read(part, from));
        assertArrayEquals(Arrays.copyOfRange(whole, from, from + length), part.array());
      }
      assertEquals(-1, file.read(ByteBuffer.allocate(1), whole.length));
    }
  }

  private static long files(Path disk) throws IOException {
    try (var files = Files.list(disk)) {
      return files.count();
    }
  }

  private Path copy(int segment, int disk) throws IOException {
    try (var files = Files.list(disks.get(disk))) {
      return files
          .filter(file -> file.toString().endsWith(".000" + segment))
          .findAny()
          .orElseThrow();
    }
  }

  private static void overwrite(Path file, long at, byte[] bytes) throws IOException {
    try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
      channel.position(at);
      channel.write(ByteBuffer.wrap(bytes));
    }
  }

  /// The ways in which a disk returns other bytes than were written.
  enum Damage {
    FLIPPED_BIT,
    ZEROED,
    MISDIRECTED,
    OTHER_SEGMENT,
    CUT_SHORT,
    TABLE
  }

  @ParameterizedTest
  @EnumSource(Damage.class)
  void aDamagedCopyIsReadFromItsTwin(Damage damage) throws Exception {
    List<byte[]> segments = segments(8 * BLOCK, 8 * BLOCK, 8 * BLOCK, 8 * BLOCK);
    Mirror mirror = write("data", segments);
    Path copy = copy(1, 1);
    byte[] bytes = Files.readAllBytes(copy);
    for (int block = 0; block < 8; block++) { // whichever of the two is read, half of them are
      long at = (long) block * BLOCK;
      switch (damage) {
        case FLIPPED_BIT -> overwrite(copy, at + 100, new byte[] {(byte) ~bytes[(int) at + 100]});
        case ZEROED -> overwrite(copy, at, new byte[BLOCK]);
        case MISDIRECTED -> overwrite(copy, at, Arrays.copyOfRange(segments.get(1), 0, BLOCK));
        case OTHER_SEGMENT ->
            overwrite(copy, at, Arrays.copyOfRange(segments.get(2), (int) at, (int) at + BLOCK));
        case CUT_SHORT, TABLE -> {}
      }
    }
    if (damage == Damage.CUT_SHORT) {
      Files.write(copy, Arrays.copyOf(bytes, 3 * BLOCK + 5));
    } else if (damage == Damage.TABLE) {
      overwrite(copy, 8L * BLOCK, new byte[4]);
    }
    requireRead(mirror, segments);
  }

  @Test
  void copiesThatChangeWhileTheyAreReadAreReadFromTheirTwins() throws Exception {
    List<byte[]> segments = segments(300 * BLOCK, 300 * BLOCK);
    Mirror mirror = write("data", segments);
    byte[] whole = whole(segments);
    try (MirrorFile file = mirror.openFile()) {
      ByteBuffer all = ByteBuffer.allocate(whole.length);
      file.read(all.limit(10 * BLOCK), 0);
      Path cut = mirror.manifest().file("data", 0, 0);
      try (var channel = FileChannel.open(cut, StandardOpenOption.WRITE)) {
        var _ = channel.truncate(20 * BLOCK + 5);
      }
      Path written = mirror.manifest().file("data", 1, 2);
      Files.write(written, new byte[310 * BLOCK]); // in place
      Path replaced = mirror.manifest().file("data", 1, 1);
      Path other = Files.write(folder.resolve("other"), new byte[100]);
      Files.move(other, replaced, StandardCopyOption.REPLACE_EXISTING); // the open one is good
      file.read(all.limit(whole.length), 10L * BLOCK);
      assertArrayEquals(whole, all.array());
    }
    assertEquals(3, mirror.repair(null, null).badCopies());
  }

  @Test
  void aBlockWithoutACopyFailsTheFlowAndSaysWhich() throws Exception {
    Mirror mirror = write("data", segments(8 * BLOCK, BLOCK, BLOCK, BLOCK));
    overwrite(copy(0, 0), 5L * BLOCK, new byte[BLOCK]);
    overwrite(copy(0, 1), 5L * BLOCK, new byte[BLOCK]);
    FlowException failure = assertThrows(FlowException.class, () -> read(mirror, DISKS));
    assertTrue(
        String.valueOf(failure.getCause()).contains("block 5 of segment 0"),
        () -> String.valueOf(failure.getCause()));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void aDiskThatIsAwayIsReadAround(int away) throws Exception {
    List<byte[]> segments = segments(50 * BLOCK, 20 * BLOCK, 5 * BLOCK, 30 * BLOCK);
    Mirror _ = write("data", segments);
    Files.move(disks.get(away), folder.resolve("away"));
    Mirror mirror = Mirror.open(disks.get(1).resolve("data.mirror"));
    assertFalse(mirror.problems().isEmpty());
    requireRead(mirror, segments);
  }

  @Test
  void aSilentDiskIsReadAround() throws Exception {
    List<byte[]> segments = segments(20 * BLOCK, 20 * BLOCK, 20 * BLOCK, 20 * BLOCK);
    requireRead(write("data", segments).slowed(2, 0), segments);
  }

  @Test
  void aNewVersionReplacesTheOldOne() throws Exception {
    Mirror old = write("data", segments(BLOCK, BLOCK, BLOCK, BLOCK));
    List<byte[]> segments = segments(3 * BLOCK, 2 * BLOCK, BLOCK, 7);
    Mirror mirror = write("data", segments);
    assertFalse(old.identity().equals(mirror.identity()));
    assertNotEquals(fingerprint(old), fingerprint(mirror), "a run would read both");
    assertEquals(
        fingerprint(mirror), fingerprint(Mirror.open(disks.get(1).resolve("data.mirror"))));
    requireRead(mirror, segments);
    assertEquals(3, files(disks.getFirst()));
  }

  private static String fingerprint(Mirror mirror) {
    return Flow.named("read")
        .stage("collect", () -> (in, out) -> {}, 2)
        .feed("collect", mirror.feed())
        .build()
        .graph()
        .fingerprint();
  }

  @Test
  void theNewestManifestCounts() throws Exception {
    Mirror _ = write("data", segments(BLOCK, BLOCK, BLOCK, BLOCK));
    Path last = disks.get(3).resolve("data.mirror");
    byte[] old = Files.readAllBytes(last);
    List<byte[]> segments = segments(3 * BLOCK, 2 * BLOCK, BLOCK, 7);
    Mirror _ = write("data", segments);
    Files.write(last, old);
    Mirror mirror = Mirror.open(last);
    assertTrue(mirror.problems().toString().contains("earlier version"));
    requireRead(mirror, segments);
  }

  @Test
  void aFlowThatFailsLeavesNothing() throws Exception {
    Flow flow =
        Flow.named("write")
            .source(
                "make",
                () ->
                    out -> {
                      out.put(out.spring().createWater(BLOCK));
                      throw new IOException("no more");
                    },
                DISKS)
            .drain("make", Mirror.writing("data", disks, warnings::add))
            .build();
    assertThrows(FlowException.class, () -> flow.start().await());
    for (Path disk : disks) {
      assertEquals(0, files(disk));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "tigris mirror", "tigris mirror 2\nend 00000000\n"})
  void refusesWhatIsNoManifest(String text) throws Exception {
    Path file = Files.writeString(folder.resolve("x.mirror"), text);
    assertThrows(MirrorException.class, () -> Mirror.open(file));
  }

  @Test
  void aDamagedManifestIsTold() throws Exception {
    Mirror _ = write("data", segments(BLOCK, BLOCK, BLOCK, BLOCK));
    Path file = disks.getFirst().resolve("data.mirror");
    byte[] bytes = Files.readAllBytes(file);
    var random = new Random(3);
    for (int i = 0; i < 200; i++) {
      byte[] damaged = bytes.clone();
      damaged[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      Files.write(file, damaged);
      assertThrows(MirrorException.class, () -> Mirror.open(file));
    }
  }

  @Test
  void repairsDamageAndMissingCopies() throws Exception {
    List<byte[]> segments = segments(8 * BLOCK, 8 * BLOCK + 1, 8 * BLOCK, 8 * BLOCK);
    Mirror mirror = write("data", segments);
    assertTrue(mirror.check().isWell());
    overwrite(copy(0, 0), 5L * BLOCK, new byte[BLOCK]);
    overwrite(copy(0, 1), 6L * BLOCK, new byte[BLOCK]); // the twin has another block damaged
    Files.delete(copy(2, 3));
    Mirror.Report found = mirror.check();
    assertEquals(3, found.badCopies(), found::toString);
    assertEquals(0, found.lostBlocks());
    assertFalse(found.isWell());
    Mirror.Report repaired = mirror.repair(null, null);
    assertEquals(3, repaired.repairedCopies(), repaired::toString);
    assertTrue(repaired.isWell(), repaired::toString);
    Mirror after = Mirror.open(disks.get(2).resolve("data.mirror"));
    Mirror.Report again = after.check();
    assertTrue(again.isWell(), again::toString);
    assertEquals(8, again.copies());
    requireRead(after, segments);
    for (Path disk : disks) {
      assertEquals(3, files(disk));
    }
  }

  @Test
  void aDiskIsReplaced() throws Exception {
    List<byte[]> segments = segments(8 * BLOCK, 2 * BLOCK + 1, 0, 8 * BLOCK);
    Mirror _ = write("data", segments);
    Files.move(disks.get(1), folder.resolve("dead"));
    Path fresh = Files.createDirectory(folder.resolve("fresh"));
    Mirror mirror = Mirror.open(disks.get(3).resolve("data.mirror"));
    Mirror.Report repaired = mirror.repair(disks.get(1), fresh);
    assertEquals(2, repaired.repairedCopies(), repaired::toString);
    Mirror after = Mirror.open(fresh.resolve("data.mirror"));
    assertEquals(List.of(), after.problems());
    assertTrue(after.check().isWell());
    requireRead(after, segments);
    assertThrows(MirrorException.class, () -> after.repair(disks.get(1), fresh));
  }

  @Test
  void aBlockWithoutACopyIsToldAndNotRepaired() throws Exception {
    Mirror mirror = write("data", segments(8 * BLOCK, BLOCK, BLOCK, BLOCK));
    overwrite(copy(0, 0), 5L * BLOCK, new byte[BLOCK]);
    overwrite(copy(0, 1), 5L * BLOCK, new byte[BLOCK]);
    assertEquals(1, mirror.check().lostBlocks());
    Mirror.Report report = mirror.repair(null, null);
    assertEquals(1, report.lostBlocks());
    assertFalse(report.isWell());
  }

  @Test
  void aFileIsStripedOverAllDisks() throws Exception {
    byte[] content = content(9, 23 * BLOCK + 5);
    Path file = Files.write(folder.resolve("file"), content);
    Mirror.copying(file, "file", disks, BLOCK, 3, warnings::add).start().await();
    Mirror mirror = Mirror.open(disks.getFirst().resolve("file.mirror"));
    assertTrue(mirror.check().isWell());
    try (MirrorFile striped = mirror.openFile()) {
      ByteBuffer all = ByteBuffer.allocate(content.length);
      assertEquals(content.length, striped.read(all, 0));
      assertArrayEquals(content, all.array());
    }
    Files.move(disks.get(0), folder.resolve("away"));
    Files.move(disks.get(1), folder.resolve("away too"));
    try (MirrorFile striped = Mirror.open(disks.get(2).resolve("file.mirror")).openFile()) {
      ByteBuffer all = ByteBuffer.allocate(content.length);
      assertEquals(content.length, striped.read(all, 0));
      assertArrayEquals(content, all.array());
    }
  }

  /// Segments 0 and 3 have one copy left each, and that is told.
  @Test
  void writingGoesOnWithoutADiskThatIsFull() throws Exception {
    try (SmallDisk full = SmallDisk.inMemory(folder, 16 * BLOCK)) {
      List<Path> some = new ArrayList<>(disks);
      some.set(0, full.folder());
      disks = some;
      List<byte[]> segments = segments(30 * BLOCK, BLOCK, BLOCK, 30 * BLOCK);
      Flow.named("write")
          .source("make", () -> new Maker(segments, 3000), segments.size())
          .drain("make", Mirror.writing("data", disks, false, BLOCK, 2, warnings::add))
          .build()
          .start()
          .await();
      assertTrue(warnings.toString().contains("has one copy left"), warnings::toString);
      assertTrue(warnings.toString().contains("No space left"), warnings::toString);
      Mirror mirror = Mirror.open(disks.get(1).resolve("data.mirror"));
      assertFalse(mirror.problems().isEmpty());
      requireRead(mirror, segments);
      Path fresh = Files.createDirectory(folder.resolve("fresh"));
      Mirror.Report repaired = mirror.repair(full.folder(), fresh);
      assertTrue(repaired.isWell(), repaired::toString);
      Mirror after = Mirror.open(fresh.resolve("data.mirror"));
      assertTrue(after.check().isWell());
      requireRead(after, segments);
    }
  }

  @Test
  void aSegmentWithoutADiskFailsTheFlow() throws Exception {
    try (SmallDisk one = SmallDisk.inMemory(disks.get(0), 8 * BLOCK);
        SmallDisk other = SmallDisk.inMemory(disks.get(1), 8 * BLOCK)) {
      List<Path> both = List.of(one.folder(), other.folder());
      List<byte[]> segments = segments(30 * BLOCK);
      Flow flow =
          Flow.named("write")
              .source("make", () -> new Maker(segments, 3000), 1)
              .drain("make", Mirror.writing("data", both, false, BLOCK, 2, warnings::add))
              .build();
      FlowException failure = assertThrows(FlowException.class, () -> flow.start().await());
      assertTrue(String.valueOf(failure.getMessage()).contains("any of its disks"));
      assertEquals(0, files(one.folder()) + files(other.folder()));
    }
  }
}
