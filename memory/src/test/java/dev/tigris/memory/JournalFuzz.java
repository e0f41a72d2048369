package dev.tigris.memory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/// The journal that a crash, or somebody, left beside a file.
public final class JournalFuzz {
  private static final int FILE_BYTES = 3000;
  private static final int HEADER_BYTES = 40;
  private static final int ENTRY_BYTES = 16;
  private static final Path FILE = file();

  private JournalFuzz() {}

  private static Path file() {
    try {
      Path folder = Files.createTempDirectory("tigris-journal");
      folder.toFile().deleteOnExit();
      Path file = folder.resolve("data");
      Journal.pathFor(file).toFile().deleteOnExit();
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// One input: the journal. A first byte of 1 says that its checksums are to be made right.
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    if (input.length == 0) {
      return;
    }
    ByteBuffer journalBytes =
        ByteBuffer.allocate(input.length - 1)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(0, input, 1, input.length - 1);
    if (input[0] == 1) {
      sign(journalBytes);
    }
    Files.write(FILE, new byte[FILE_BYTES]);
    Files.write(Journal.pathFor(FILE), journalBytes.array());
    try (Journal journal = Journal.own(FILE);
        FileChannel channel =
            FileChannel.open(FILE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      boolean complete = journal.apply(channel);
      byte[] after = Files.readAllBytes(FILE);
      if (after.length != FILE_BYTES) {
        throw new AssertionError("a flush makes no file longer");
      }
      for (int i = 0; !complete && i < after.length; i++) {
        if (after[i] != 0) {
          throw new AssertionError("an incomplete journal changes nothing");
        }
      }
    } catch (IOException e) {
      if (!e.getMessage().contains("put it back")) {
        throw e;
      }
    }
  }

  private static void sign(ByteBuffer journal) {
    if (journal.capacity() < HEADER_BYTES) {
      return;
    }
    long pageBytes = journal.getLong(8);
    long pages = journal.getLong(16);
    boolean fits =
        pageBytes > 0
            && pageBytes <= journal.capacity()
            && pages > 0
            && pages <= (journal.capacity() - HEADER_BYTES) / (ENTRY_BYTES + pageBytes);
    if (fits) {
      int end = (int) (HEADER_BYTES + ENTRY_BYTES * pages);
      for (int i = 0; i < pages; i++) {
        int at = (int) (end + i * pageBytes);
        CRC32C sum = new CRC32C();
        sum.update(journal.slice(at, (int) pageBytes));
        journal.putLong(HEADER_BYTES + ENTRY_BYTES * i + 8, sum.getValue());
      }
      CRC32C sum = new CRC32C();
      sum.update(journal.slice(0, 32));
      sum.update(journal.slice(HEADER_BYTES, end - HEADER_BYTES));
      journal.putLong(32, sum.getValue());
    }
  }
}
