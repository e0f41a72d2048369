package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.tigris.os.FilePermissions;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Who may use what is made beside a file.
class FilePermissionsTest {
  @TempDir private Path folder;

  /// Pages of the file stand in it, for as long as a flush takes or, after a crash, longer.
  @ParameterizedTest
  @ValueSource(strings = {"rw-------", "rw-rw----"})
  void makesAJournalForThoseWhoMayUseTheFile(String permissions) throws IOException {
    Path file = Files.write(folder.resolve("file"), new byte[4096]);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    Jbuf.map(file, Mapping.DURABLE);
    Path journal = Journal.pathFor(file.toRealPath());
    assertEquals(
        permissions, PosixFilePermissions.toString(Files.getPosixFilePermissions(journal)));
  }

  @Test
  void givesAJournalToTheOwnerAndTheGroupOfTheFile() throws IOException {
    Path file = Files.write(folder.resolve("file"), new byte[4096]);
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    UserPrincipalLookupService names = file.getFileSystem().getUserPrincipalLookupService();
    try {
      view.setGroup(names.lookupPrincipalByGroupName("daemon"));
      view.setOwner(names.lookupPrincipalByName("daemon"));
    } catch (IOException e) {
      abort("skipped: needs root, and a user and a group called daemon");
    }
    view.setPermissions(PosixFilePermissions.fromString("rw-rw----"));
    Jbuf.map(file, Mapping.DURABLE);
    PosixFileAttributes journal =
        Files.readAttributes(Journal.pathFor(file.toRealPath()), PosixFileAttributes.class);
    assertEquals(
        "daemon daemon rw-rw----",
        "%s %s %s"
            .formatted(
                journal.owner().getName(),
                journal.group().getName(),
                PosixFilePermissions.toString(journal.permissions())));
  }

  /// An archive may keep permissions, and the system knows nothing of its files.
  @Test
  void knowsThePermissionsOfAFileInAnArchive() throws IOException {
    Map<String, ?> options = Map.of("create", "true", "enablePosixFileAttributes", "true");
    try (FileSystem archive = FileSystems.newFileSystem(folder.resolve("archive.zip"), options)) {
      Path from = Files.createFile(archive.getPath("/from"));
      Files.setPosixFilePermissions(from, PosixFilePermissions.fromString("rw-r-----"));
      Path to = Files.createFile(archive.getPath("/to"), FilePermissions.of(from));
      FilePermissions.copy(from, to);
      assertEquals("rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(to)));
    }
  }
}
