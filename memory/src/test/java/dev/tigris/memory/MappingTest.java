// Over 400 lines: every way to map a file, and all that can be in the way of each.
package dev.tigris.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.os.FilePages;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MappingTest {
  private static final long BYTES = 3 << 20;

  @TempDir private Path folder;

  static final class Entry extends Pso {
    long key;

    @Capacity(20)
    Utf8 name;

    Entry next;

    Entry(Container container) {
      super(container);
    }
  }

  private Path file() {
    return folder.resolve("data");
  }

  private long firstLong() throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(file())).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }

  /// Frees a Jbuf whose views the caller has dropped.
  private static void free(Jbuf jbuf) throws InterruptedException {
    CountDownLatch freed = new CountDownLatch(1);
    jbuf.unreference(
        verified -> {
          verified.free();
          freed.countDown();
        });
    for (int round = 0; round < 100 && freed.getCount() > 0; round++) {
      System.gc();
      boolean _ = freed.await(50, TimeUnit.MILLISECONDS);
    }
    assertEquals(0, freed.getCount(), "the collector never verified the claim");
  }

  private static void setFirst(Jbuf jbuf, long value) {
    jbuf.asLongs().set(0, value);
  }

  private static long first(Jbuf jbuf) {
    return jbuf.asLongs().get(0);
  }

  @ParameterizedTest
  @EnumSource(Mapping.class)
  void saysOfItsViewsThatTheyAreOfAFile(Mapping mapping) throws Exception {
    Files.write(file(), new byte[(int) BYTES]);
    Jbuf file = Jbuf.map(file(), mapping);
    Jbuf other = Jbuf.allocate(BYTES, "test");
    assertEquals(mapping != Mapping.SNAPSHOT, file.asBytes().isMapped());
    assertFalse(other.asBytes().isMapped());
    free(file);
    free(other);
  }

  @Test
  void keepsObjectsFromOneMappingToTheNext() throws Exception {
    Jbuf jbuf = Jbuf.map(file(), Mapping.SHARED, BYTES);
    write(jbuf);
    free(jbuf);
    assertEquals(BYTES, Files.size(file()));
    for (Mapping mapping : Mapping.values()) {
      Jbuf again = Jbuf.map(file(), mapping);
      assertEquals(BYTES, again.capacityBytes());
      read(again);
      free(again);
    }
  }

  private static void write(Jbuf jbuf) {
    Container container = jbuf.asContainer();
    Entry last = null;
    for (int i = 0; i < 1000; i++) {
      Entry entry = new Entry(container);
      entry.key = i;
      entry.name.set("entry " + i);
      entry.next = last;
      last = entry;
    }
    container.root(last);
  }

  private static void read(Jbuf jbuf) {
    int expected = 999;
    for (Entry at = jbuf.asContainer().root(Entry.class); at != null; at = at.next) {
      assertEquals(expected, at.key);
      assertEquals("entry " + expected--, at.name.toString());
    }
    assertEquals(-1, expected);
  }

  @Test
  void showsOthersAtOnceWhatIsShared() throws IOException {
    Jbuf one = Jbuf.map(file(), Mapping.SHARED, 4096);
    Jbuf other = Jbuf.map(file(), Mapping.SHARED);
    setFirst(one, 7);
    assertEquals(7, first(other));
    one.flush();
    assertEquals(7, firstLong());
  }

  @Test
  void keepsToItselfWhatIsPrivate() throws IOException {
    Files.write(file(), new byte[4096]);
    Jbuf own = Jbuf.map(file(), Mapping.PRIVATE);
    setFirst(own, 7);
    assertEquals(7, first(own));
    assertEquals(0, firstLong());
    assertThrows(UnsupportedOperationException.class, own::flush);
  }

  @Test
  void mapsAPrivateFileThatCanOnlyBeRead() throws IOException {
    Files.write(file(), new byte[5000]);
    assertTrue(file().toFile().setWritable(false));
    setFirst(Jbuf.map(file(), Mapping.PRIVATE), 7);
    assertEquals(0, firstLong());
  }

  @Test
  void showsNothingOfWhatIsDurableBeforeTheFlush() throws Exception {
    Jbuf jbuf = Jbuf.map(file(), Mapping.DURABLE, BYTES);
    Longs longs = jbuf.asLongs();
    for (long i = 0; i < longs.length(); i += 700) {
      longs.set(i, i + 1);
    }
    assertEquals(0, firstLong());
    jbuf.flush();
    assertArrayEquals(
        longs.segment().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE),
        Files.readAllBytes(file()));
    longs.set(0, 99);
    assertEquals(1, firstLong());
    jbuf.flush();
    assertEquals(99, firstLong());
    jbuf.flush();
    assertEquals(99, longs.get(0));
    assertEquals(701, longs.get(700));
  }

  @Test
  void forgetsWhatWasNotFlushedWhenADurableMappingEnds() throws Exception {
    Jbuf jbuf = Jbuf.map(file(), Mapping.DURABLE, 10_000);
    setFirst(jbuf, 1);
    jbuf.flush();
    setFirst(jbuf, 2);
    free(jbuf);
    assertThrows(FreedException.class, jbuf::flush);
    assertEquals(1, first(Jbuf.map(file(), Mapping.DURABLE)));
  }

  @Test
  void letsOneMappingBeDurable() throws Exception {
    Jbuf jbuf = Jbuf.map(file(), Mapping.DURABLE, 4096);
    for (Mapping mapping : List.of(Mapping.SHARED, Mapping.DURABLE, Mapping.PRIVATE)) {
      IOException e = assertThrows(IOException.class, () -> Jbuf.map(file(), mapping));
      assertTrue(e.getMessage().contains("this process has it mapped as DURABLE"), e.getMessage());
    }
    setFirst(jbuf, 1);
    free(jbuf);
    Jbuf next = Jbuf.map(file(), Mapping.DURABLE);
    assertEquals(0, first(next));
  }

  @Test
  void growsAFileAndNeverCutsOne() throws Exception {
    Files.write(file(), new byte[] {1, 0, 0, 0, 0, 0, 0, 0});
    Jbuf grown = Jbuf.map(file(), Mapping.SHARED, 5_000_000);
    assertEquals(5_000_000, grown.capacityBytes());
    assertEquals(1, first(grown));
    assertEquals(0, grown.asLongs().get(600_000));
    assertEquals(5_000_000, Jbuf.map(file(), Mapping.SHARED, 100).capacityBytes());
  }

  @Test
  void endsAtTheLastByteOfTheFile() throws Exception {
    Files.write(file(), new byte[4099]);
    for (Mapping mapping : List.of(Mapping.SHARED, Mapping.PRIVATE, Mapping.DURABLE)) {
      Bytes bytes = Jbuf.map(file(), mapping).asBytes();
      assertEquals(4099, bytes.capacityBytes());
      bytes.set(4098, (byte) 1);
      assertThrows(IndexOutOfBoundsException.class, () -> bytes.get(4099));
    }
  }

  @ParameterizedTest
  @EnumSource(Mapping.class)
  void refusesWhatIsNoFileWithBytes(Mapping mapping) throws IOException {
    String none = mapping.writesToFile() ? "say how many bytes" : "makes none";
    IOException e = assertThrows(NoSuchFileException.class, () -> Jbuf.map(file(), mapping));
    assertTrue(e.getMessage().contains(none), e.getMessage());
    for (Path other : List.of(folder, folder.getRoot())) {
      e = assertThrows(IOException.class, () -> Jbuf.map(other, mapping));
      assertTrue(e.getMessage().contains("not a regular file"), e.getMessage());
    }
    Files.createFile(file());
    e = assertThrows(IOException.class, () -> Jbuf.map(file(), mapping));
    assertTrue(e.getMessage().contains("is empty"), e.getMessage());
    assertThrows(IllegalArgumentException.class, () -> Jbuf.map(file(), mapping, -1));
    e = assertThrows(IOException.class, () -> Jbuf.map(folder.resolve("no/such"), mapping, 10));
    assertTrue(e.getMessage().endsWith("such: its folder does not exist: make that first"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("no", "such"));
    e = assertThrows(IOException.class, () -> Jbuf.map(link, mapping, 10));
    assertTrue(e.getMessage().endsWith("its target's folder does not exist: make that first"));
  }

  @Test
  void refusesAFileThatTheDiskHasNoRoomFor() throws IOException {
    IOException refused =
        assertThrows(IOException.class, () -> Jbuf.map(file(), Mapping.SHARED, 1L << 60));
    assertTrue(refused.getMessage().contains("no room"), refused.getMessage());
    assertTrue(Files.notExists(file()), "nothing is left of a file that was not there");
    Files.write(file(), new byte[100]);
    assertThrows(IOException.class, () -> Jbuf.map(file(), Mapping.SHARED, 1L << 60));
    assertEquals(100, Files.size(file()));
  }

  @ParameterizedTest
  @EnumSource(names = {"SHARED", "DURABLE"})
  void saysAtTheFlushThatTheFileWasCutShort(Mapping mapping) throws Exception {
    Jbuf jbuf = Jbuf.map(file(), mapping, 100_000);
    Bytes bytes = jbuf.asBytes();
    bytes.set(99_999, (byte) 1);
    try (FileChannel other = FileChannel.open(file(), StandardOpenOption.WRITE)) {
      other.truncate(4096);
    }
    IOException lost = assertThrows(IOException.class, jbuf::flush);
    assertTrue(lost.getMessage().contains("cut short"), lost.getMessage());
    // Another thread does the work: who asked for it stands in the trace all the same.
    assertTrue(
        Stream.of(lost.getStackTrace())
            .anyMatch(frame -> frame.getClassName().equals(MappingTest.class.getName())));
  }

  @Test
  void refusesToFlushMemory() {
    assertThrows(UnsupportedOperationException.class, () -> Jbuf.allocate(8).flush());
  }

  @Test
  void followsASymbolicLinkToTheOneJournalOfAFile() throws IOException {
    Jbuf jbuf = Jbuf.map(file(), Mapping.DURABLE, 4096);
    Path link = Files.createSymbolicLink(folder.resolve("link"), file());
    assertThrows(IOException.class, () -> Jbuf.map(link, Mapping.DURABLE));
    setFirst(jbuf, 1);
  }

  /// Collects until the files that other tests have mapped are gone, or `bytes` of them are left.
  private static void awaitMapped(long bytes) {
    for (int round = 0; round < 200 && Jbuf.use().mappedBytes() > bytes; round++) {
      System.gc();
      Thread.onSpinWait();
    }
    assertEquals(bytes, Jbuf.use().mappedBytes());
  }

  @Test
  void takesNothingOfTheBudget() throws Exception {
    awaitMapped(0);
    long used = Jbuf.use().usedBytes();
    Jbuf jbuf = Jbuf.map(file(), Mapping.SHARED, BYTES);
    setFirst(jbuf, 1);
    assertTrue(Jbuf.use().usedBytes() <= used);
    assertEquals(BYTES, Jbuf.use().mappedBytes());
    Budget.PROCESS.checkInvariants();
    Longs held = jbuf.asLongs();
    jbuf.unreference(_ -> {});
    assertTrue(Jbuf.use().awaitingBytes() <= used, "what waits for the collector is a part of it");
    assertEquals(1, held.get(0)); // it was held until here
  }

  @Test
  void isMappedUntilItIsFreed() throws Exception {
    awaitMapped(0);
    Jbuf jbuf = Jbuf.map(file(), Mapping.SHARED, BYTES);
    setFirst(jbuf, 1);
    free(jbuf);
    assertEquals(0, Jbuf.use().mappedBytes());
    Budget.PROCESS.checkInvariants();
  }

  @Test
  void handsTheAddressesOfAFileOutAgainAsZeros() throws Exception {
    Jbuf jbuf = Jbuf.map(file(), Mapping.SHARED, BYTES);
    jbuf.asLongs().fill(-1);
    free(jbuf);
    for (int i = 0; i < 40; i++) {
      Jbuf memory = Jbuf.allocate(BYTES);
      assertEquals(0, first(memory));
      setFirst(memory, 5);
    }
    assertEquals(-1, firstLong());
  }

  @Test
  void releasesAFileThatNobodyHoldsAnyMore() throws Exception {
    mapAndForget();
    awaitMapped(0);
    setFirst(Jbuf.map(file(), Mapping.DURABLE), 1);
  }

  private void mapAndForget() throws IOException {
    setFirst(Jbuf.map(file(), Mapping.DURABLE, BYTES), 1);
  }

  /// An interrupt that met the file would close it, and the lock would go with it.
  @ParameterizedTest
  @EnumSource(
      value = Mapping.class,
      names = {"SHARED", "DURABLE"})
  void flushesForAThreadThatIsInterrupted(Mapping mapping) throws Exception {
    Jbuf jbuf = Jbuf.map(file(), mapping, BYTES);
    for (long value = 1; value <= 3; value++) {
      setFirst(jbuf, value);
      Thread.currentThread().interrupt();
      jbuf.flush();
      assertTrue(Thread.interrupted(), "the interrupt is for the caller");
      assertEquals(value, firstLong());
    }
    if (mapping == Mapping.DURABLE) {
      assertThrows(IOException.class, () -> Jbuf.map(file(), Mapping.DURABLE));
    }
    free(jbuf);
  }

  /// The journal of a flush that could not write all of its pages to the file, say for a fault of
  /// the disk, is the only place where the rest of them is.
  @Test
  void completesAFlushThatFailedHalfWayBeforeTheNext() throws Exception {
    Jbuf jbuf = Jbuf.map(file(), Mapping.DURABLE, BYTES);
    int pageBytes = Math.toIntExact(FilePages.pageBytes());
    Bytes page = Jbuf.allocate(2L * pageBytes).asBytes();
    page.fill((byte) 7);
    Path twin = folder.resolve("twin");
    try (Journal journal = Journal.own(twin)) {
      journal.record(new long[] {1}, page.address, pageBytes, BYTES);
    }
    Files.write(Journal.pathFor(file()), Files.readAllBytes(Journal.pathFor(twin)));
    setFirst(jbuf, 5);
    jbuf.flush();
    assertEquals(5, firstLong());
    byte[] stored = Files.readAllBytes(file());
    assertEquals(7, stored[pageBytes]);
    assertEquals(7, stored[2 * pageBytes - 1]);
    assertEquals(Long.BYTES, Files.size(Journal.pathFor(file())));
    free(jbuf);
  }

  /// Maps a file as durable, from a process of its own, at each line that it reads, and frees it.
  static final class Rival {
    private Rival() {}

    public static void main(String[] args) throws IOException {
      BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      for (String file = lines.readLine(); file != null; file = lines.readLine()) {
        try {
          Jbuf.map(Path.of(file), Mapping.DURABLE).free();
          System.out.println("mapped");
        } catch (IOException e) {
          System.out.println("refused");
        }
      }
    }
  }

  /// Locks as the JDK's are the process's: closing any channel of that file gives them up.
  @Test
  void ownsTheFileStillAfterItHasRefusedItToItself() throws Exception {
    try (Child rival = Jvm.of(Rival.class).quick().command().start()) {
      for (Mapping mapping : List.of(Mapping.SHARED, Mapping.DURABLE, Mapping.PRIVATE)) {
        Path file = folder.resolve("data" + mapping);
        Jbuf jbuf = Jbuf.map(file, Mapping.DURABLE, 4096);
        assertThrows(IOException.class, () -> Jbuf.map(file, mapping));
        Path copied = folder.resolve("backup" + mapping); // whoever copies the folder
        Files.copy(Journal.pathFor(file), copied);
        rival.say(file.toString());
        rival.expectLine("refused");
        jbuf.free();
        rival.say(file.toString());
        rival.expectLine("mapped");
      }
    }
  }
}
