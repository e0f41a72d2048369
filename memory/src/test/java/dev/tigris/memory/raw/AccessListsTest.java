package dev.tigris.memory.raw;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Mapping;
import dev.tigris.os.AccessLists;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who may use the journal of a file, where access control lists say it.
class AccessListsTest {
  private static final int READ_WRITE = 6;

  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void makeFile() throws IOException {
    file = Files.write(folder.resolve("file"), new byte[4096]);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
  }

  /// Gives a certain user what neither the group nor others have.
  private static byte[] list() {
    ByteBuffer list = ByteBuffer.allocate(44).order(ByteOrder.LITTLE_ENDIAN).putInt(2);
    entry(list, 0x01, READ_WRITE, -1); // the owner
    entry(list, 0x02, READ_WRITE, 1); // the user
    entry(list, 0x04, 0, -1); // the group
    entry(list, 0x10, READ_WRITE, -1); // the most for these two
    entry(list, 0x20, 0, -1); // others
    return list.array();
  }

  private static void entry(ByteBuffer list, int tag, int permissions, int whose) {
    list.putShort((short) tag).putShort((short) permissions).putInt(whose);
  }

  private static void write(Path path, String kind) {
    try {
      AccessLists.write(path, kind, list());
    } catch (IOException e) {
      abort("skipped: the file system has no access control lists");
    }
  }

  private Path journal() throws IOException {
    Jbuf.map(file, Mapping.DURABLE);
    return file.resolveSibling("file.journal");
  }

  /// What a list gives somebody looks like a permission of the group, who has none here.
  @Test
  void aJournalHasTheListOfItsFile() throws IOException {
    write(file, "system.posix_acl_access");
    assertEquals("rw-rw----", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertArrayEquals(list(), AccessLists.read(journal()));
    assertArrayEquals(AccessLists.none(), AccessLists.read(folder));
  }

  /// Who may use what is made in a folder from now on need not be who may use this file.
  @Test
  void aJournalHasNotTheListOfItsFolder() throws IOException {
    write(folder, "system.posix_acl_default");
    assertArrayEquals(list(), AccessLists.read(Files.createFile(folder.resolve("other"))));
    Path journal = journal();
    assertArrayEquals(AccessLists.none(), AccessLists.read(journal));
    assertEquals(
        "rw-rw----", PosixFilePermissions.toString(Files.getPosixFilePermissions(journal)));
  }
}
