package dev.tigris.memory;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What a crash of the machine can leave: any part of the journal, or all of it and any mixture of
/// the file's pages.
class JournalTest {
  private static final int PAGE = 4096;
  private static final int PAGES = 20;
  private static final int BYTES = PAGE * PAGES - 1000;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  private Path folder;
  private Path file;
  private byte[] before;
  private byte[] after;
  private byte[] record;

  @BeforeEach
  void recordAChange() throws IOException {
    folder = Files.createTempDirectory("journal");
    file = folder.resolve("data");
    before = new byte[BYTES];
    random.nextBytes(before);
    Files.write(file, before);
    after = before.clone();
    long[] pages = {0, 3, 4, 5, 11, 19};
    Bytes memory = Jbuf.allocate(PAGE * PAGES).asBytes();
    for (long page : pages) {
      int length = (int) Math.min(PAGE, BYTES - page * PAGE);
      byte[] fresh = new byte[length];
      random.nextBytes(fresh);
      System.arraycopy(fresh, 0, after, (int) page * PAGE, length);
    }
    memory.copyFrom(0, after, 0, BYTES);
    try (Journal journal = Journal.own(file)) {
      journal.record(pages, memory.address, PAGE, BYTES);
    }
    record = Files.readAllBytes(Journal.pathFor(file));
  }

  @AfterEach
  void clear() throws IOException {
    Files.delete(file);
    Files.delete(Journal.pathFor(file));
    Files.delete(folder);
  }

  /// Leaves file and journal as a crash might, and maps the file.
  private byte[] opened(byte[] fileBytes, byte[] journalBytes) throws IOException {
    Files.write(file, fileBytes);
    Files.write(Journal.pathFor(file), journalBytes);
    try (Journal journal = Journal.own(file);
        FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      journal.apply(channel);
    }
    assertTrue(Files.size(Journal.pathFor(file)) <= Long.BYTES, "seed " + seed);
    return Files.readAllBytes(file);
  }

  @Test
  void isAsBeforeWhateverPartOfTheJournalIsThere() throws IOException {
    for (int i = 0; i < 300; i++) {
      byte[] cut = Arrays.copyOf(record, random.nextInt(record.length));
      assertArrayEquals(before, opened(before, cut), "seed " + seed);
    }
    for (int at = 0; at < 200; at++) {
      byte[] changed = record.clone();
      changed[at < 150 ? at : random.nextInt(record.length)] ^= (byte) (1 << random.nextInt(8));
      assertArrayEquals(before, opened(before, changed), "seed " + seed + " byte " + at);
    }
    // Sectors that did not reach the disk read as what was there before: zeros in a new file.
    for (int i = 0; i < 200; i++) {
      byte[] holes = record.clone();
      int sector = random.nextInt(record.length / 512);
      Arrays.fill(holes, sector * 512, sector * 512 + 512, (byte) 0);
      // Behind the end of the file, the last page is zero anyway.
      byte[] expected = Arrays.equals(holes, record) ? after : before;
      assertArrayEquals(expected, opened(before, holes), "seed " + seed);
    }
  }

  @Test
  void isAsAfterwardsWhateverMixtureOfPagesTheFileIs() throws IOException {
    assertArrayEquals(after, opened(before, record));
    for (int i = 0; i < 100; i++) {
      byte[] mixture = before.clone();
      for (int sector = 0; sector * 512 < BYTES; sector++) {
        if (random.nextBoolean()) {
          int length = Math.min(512, BYTES - sector * 512);
          System.arraycopy(after, sector * 512, mixture, sector * 512, length);
        }
      }
      assertArrayEquals(after, opened(mixture, record), "seed " + seed);
      assertArrayEquals(after, opened(after, record));
    }
  }

  @Test
  void isCompletedByTheNextDurableMappingAndRefusedByOthers() throws IOException {
    for (Mapping mapping : List.of(Mapping.SHARED, Mapping.PRIVATE)) {
      IOException e = assertThrows(IOException.class, () -> Jbuf.map(file, mapping));
      assertTrue(e.getMessage().contains("map it DURABLE once"), e.getMessage());
    }
    Bytes bytes = Jbuf.map(file, Mapping.DURABLE).asBytes();
    byte[] read = new byte[BYTES];
    bytes.copyTo(0, read, 0, BYTES);
    assertArrayEquals(after, read);
    assertArrayEquals(after, Files.readAllBytes(file));
  }

  @Test
  void ignoresAnIncompleteJournalInOtherMappings() throws IOException {
    Files.write(Journal.pathFor(file), Arrays.copyOf(record, record.length - 1));
    for (Mapping mapping : List.of(Mapping.SHARED, Mapping.PRIVATE)) {
      assertEquals(before[0], Jbuf.map(file, mapping).asBytes().get(0));
    }
  }

  @Test
  void refusesAFileThatWasCutMeanwhile() throws IOException {
    Files.write(file, new byte[PAGE]);
    Files.write(Journal.pathFor(file), record);
    IOException e = assertThrows(IOException.class, () -> Jbuf.map(file, Mapping.DURABLE));
    assertTrue(e.getMessage().contains("a flush was interrupted"), e.getMessage());
    assertArrayEquals(record, Files.readAllBytes(Journal.pathFor(file)));
  }

  @ParameterizedTest
  @EnumSource
  void takesNothingForAJournalThatIsNoFile(Mapping mapping) throws Exception {
    Path journal = Journal.pathFor(file);
    Files.delete(journal);
    Path precious = Files.writeString(folder.resolve("precious"), "of somebody else");
    Files.createSymbolicLink(journal, precious);
    assertSaysThatItIsNoJournal(mapping);
    assertEquals("of somebody else", Files.readString(precious));
    Files.delete(precious);
    Files.delete(journal);
    assertEquals("", Command.of("mkfifo", journal.toString()).output());
    assertSaysThatItIsNoJournal(mapping);
  }

  private void assertSaysThatItIsNoJournal(Mapping mapping) {
    IOException e = assertThrows(IOException.class, () -> Jbuf.map(file, mapping));
    assertTrue(
        e.getMessage().contains("is not a regular file, and so not a journal"), e.getMessage());
  }

  @Test
  void followsNoLinkThatTakesTheJournalsPlaceMeanwhile() throws Exception {
    Path journal = Journal.pathFor(file);
    Path elsewhere = Files.write(folder.resolve("elsewhere"), record); // as if for this file
    Files.write(journal, new byte[0]);
    Path next = folder.resolve("next");
    AtomicBoolean ended = new AtomicBoolean();
    try (ExecutorService others = Executors.newSingleThreadExecutor()) {
      Future<?> exchanging =
          others.submit(
              () -> {
                while (!ended.get()) {
                  Files.move(Files.createSymbolicLink(next, elsewhere), journal, ATOMIC_MOVE);
                  Files.move(Files.createFile(next), journal, ATOMIC_MOVE);
                }
                return null;
              });
      try {
        for (int i = 0; i < 2_000; i++) {
          try {
            Journal.requireNone(file);
          } catch (IOException e) {
            assertFalse(String.valueOf(e.getMessage()).contains("interrupted"), e.getMessage());
          }
        }
      } finally {
        ended.set(true);
        exchanging.get();
        Files.delete(elsewhere);
      }
    }
  }

  /// Writes to all of a file that is as long as files may be here, so that its journal, which would
  /// be longer, cannot be written.
  static final class Limited {
    private Limited() {}

    public static void main(String[] arguments) throws IOException {
      Path file = Path.of(System.getProperty("file"));
      int bytes = 1 << 20;
      Jbuf jbuf = Jbuf.map(file, Mapping.DURABLE, bytes);
      Bytes mapped = jbuf.asBytes();
      for (int page = 0; page < bytes; page += PAGE) {
        mapped.set(page, (byte) 1);
      }
      try {
        jbuf.flush();
      } catch (IOException e) {
        System.out.println(e.getMessage());
      }
      mapped.set(0, (byte) 2);
      System.out.println(Files.size(Journal.pathFor(file)));
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void whatCannotBeWrittenLeavesNothing() throws Exception {
    Path full = folder.resolve("full"); // the shell's limit is in blocks of 512 bytes
    String said =
        Jvm.of(Limited.class)
            .options("-Dfile=" + full)
            .command()
            .after("export LC_ALL=C && ulimit -f 2048")
            .output();
    assertTrue(said.startsWith(full + ".journal could not be written (File too"), said);
    assertTrue(said.endsWith("\n" + Long.BYTES + "\n"), said);
    assertArrayEquals(new byte[1 << 20], Files.readAllBytes(full));
    Files.delete(full);
    Files.delete(Journal.pathFor(full));
  }

  @Test
  void aFileMayHaveANameThatLeavesNoRoomForThatOfAJournal() throws Exception {
    Path longest = Files.write(folder.resolve("n".repeat(255)), before);
    for (Mapping mapping : List.of(Mapping.PRIVATE, Mapping.SHARED)) {
      Jbuf.map(longest, mapping, BYTES).free();
    }
    Files.delete(longest);
    IOException refused =
        assertThrows(IOException.class, () -> Jbuf.map(longest, Mapping.DURABLE, BYTES));
    assertTrue(refused.getMessage().contains("can have no journal"), refused.getMessage());
    assertFalse(Files.exists(longest));
  }

  /// Who maps the file then gets a new one, and neither would know of the other.
  @Test
  void flushesNothingWithoutItsJournal() throws IOException {
    Jbuf mapped = Jbuf.map(file, Mapping.DURABLE);
    byte[] flushed = Files.readAllBytes(file);
    mapped.asBytes().set(0, (byte) ~flushed[0]);
    Files.delete(Journal.pathFor(file));
    Files.createFile(Journal.pathFor(file));
    IOException e = assertThrows(IOException.class, mapped::flush);
    assertTrue(e.getMessage().contains("was deleted while its file was mapped"), e.getMessage());
    assertArrayEquals(flushed, Files.readAllBytes(file));
  }

  @Test
  void whoIsInterruptedDoesNotWaitForTheOwnerOfAFile() throws IOException {
    Jbuf owned = Jbuf.map(file, Mapping.DURABLE);
    Thread.currentThread().interrupt();
    try {
      for (Mapping mapping : Mapping.values()) {
        assertThrows(ClosedByInterruptException.class, () -> Jbuf.map(file, mapping));
      }
    } finally {
      assertTrue(Thread.interrupted());
      owned.free();
    }
  }

  @Test
  void aMappingThatIsInterruptedLeavesNothing() throws IOException {
    Path fresh = folder.resolve("fresh");
    Thread.currentThread().interrupt();
    try {
      assertThrows(
          ClosedByInterruptException.class, () -> Jbuf.map(fresh, Mapping.DURABLE, PAGE).free());
    } finally {
      assertTrue(Thread.interrupted());
    }
    assertTrue(Files.notExists(fresh));
    assertTrue(Files.notExists(Journal.pathFor(fresh)));
    Jbuf.map(fresh, Mapping.DURABLE, PAGE).free();
    assertEquals(Long.BYTES, Files.size(Journal.pathFor(fresh)));
    Files.delete(fresh);
    Files.delete(Journal.pathFor(fresh));
  }
}
