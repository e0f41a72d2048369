package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What becomes of files that others write to, read, or look for.
class SharedFilesTest {
  @TempDir Path folder;
  private Path input;
  private Path output;

  @BeforeEach
  void makeInput() throws Exception {
    input = folder.resolve("input");
    output = folder.resolve("sorted");
    GenerateJob.to(input, 100_000).run();
  }

  /// Whoever stores through a mapping may set no time. Here the key of a large record is another
  /// one when the record is read than it was when it was looked where it belongs.
  @Test
  void putsNoLargeRecordWhereItsKeyDoesNotBelong() throws Exception {
    int recordSize = 8 << 20;
    RecordFormat format = new RecordFormat(recordSize, recordSize - 10, 10);
    Files.write(input, Records.make(format, 4, Records.Keys.RANDOM, 1));
    FileTime time = Files.getLastModifiedTime(input);
    AtomicBoolean changed = new AtomicBoolean();
    Progress changes =
        (phase, done, total) -> {
          if (phase == Progress.Phase.PARTITION && !changed.getAndSet(true)) {
            changeKeys(format, time);
          }
        };
    SortJob sort = SortJob.of(List.of(input), output).format(format).progress(changes);
    SortException refused = assertThrows(SortException.class, sort::run);
    assertEquals(SortException.Kind.DATA, refused.kind());
    assertTrue(refused.getMessage().contains("was written to"), refused.getMessage());
    assertFalse(Files.exists(output));
  }

  private void changeKeys(RecordFormat format, FileTime time) {
    try (FileChannel file = FileChannel.open(input, StandardOpenOption.WRITE)) {
      for (long record = 0; record < 4; record++) {
        file.write(
            ByteBuffer.allocate(format.keySize()),
            record * format.recordSize() + format.keyOffset());
      }
      Files.setLastModifiedTime(input, time);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void noticesAnInputThatIsRewrittenWhileItIsSortedOrChecked() throws Exception {
    Files.writeString(output, "what was here before");
    Progress rewrites = (phase, done, total) -> rewrite(input);
    SortJob sort = SortJob.of(List.of(input), output).progress(rewrites);
    SortException refused = assertThrows(SortException.class, sort::run);
    assertEquals(SortException.Kind.DATA, refused.kind());
    assertEquals(
        input + " was written to while it was read: try again when no program writes to it",
        refused.getMessage());
    assertEquals("what was here before", Files.readString(output));
    assertEquals(folder, temporary(), "nothing temporary is left");
    assertThrows(SortException.class, () -> CheckJob.of(List.of(input)).progress(rewrites).run());
  }

  /// With the same bytes, so that nothing else can tell, and a time that certainly is another.
  private static void rewrite(Path file) {
    try {
      FileTime before = Files.getLastModifiedTime(file);
      Files.write(file, Files.readAllBytes(file), StandardOpenOption.WRITE);
      Files.setLastModifiedTime(file, FileTime.fromMillis(before.toMillis() + 1_000));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whatReplacesAPrivateFileIsAsPrivateAllTheTime() throws Exception {
    Files.writeString(output, "what was here before");
    Files.setPosixFilePermissions(output, PosixFilePermissions.fromString("rw-r-----"));
    Set<String> meanwhile = ConcurrentHashMap.newKeySet();
    SortJob.of(List.of(input), output)
        .progress(
            (phase, done, total) -> {
              Path temporary = temporary();
              if (!temporary.equals(folder)) {
                meanwhile.add(permissions(temporary));
              }
            })
        .run();
    assertEquals(Set.of("rwx------"), meanwhile);
    assertEquals("rw-r-----", permissions(output));
    Path fresh = folder.resolve("fresh");
    SortJob.of(List.of(input), fresh).run();
    assertEquals(permissions(input), permissions(fresh));
  }

  /// Else the members of another group could read what they could not.
  @Test
  void whatReplacesAFileBelongsToWhomThatDid() throws Exception {
    Files.writeString(output, "what was here before");
    try {
      Files.setAttribute(output, "unix:gid", 65_533);
      Files.setAttribute(output, "unix:uid", 65_532);
    } catch (FileSystemException e) {
      abort("skipped: only root can give a file away");
    }
    SortJob.of(List.of(input), output).run();
    assertEquals(
        Map.of("gid", 65_533, "uid", 65_532), Files.readAttributes(output, "unix:gid,uid"));
  }

  /// The sort's temporary folder, or the one that all is in if there is none.
  private Path temporary() {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(path -> String.valueOf(path.getFileName()).startsWith(".sorted.tigris-"))
          .findFirst()
          .orElse(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String permissions(Path path) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void doesNotMindAnInputThatIsReplacedWhileItIsSorted() throws Exception {
    Path other = Files.write(folder.resolve("other"), new byte[300]);
    AtomicBoolean isDone = new AtomicBoolean();
    SortJob.Result result =
        SortJob.of(List.of(input), output)
            .progress(
                (phase, done, total) -> {
                  if (!isDone.getAndSet(true)) {
                    replace(other, input);
                  }
                })
            .run();
    assertEquals(100_000, result.records());
    assertEquals(300, Files.size(input));
  }

  private static void replace(Path file, Path old) {
    try {
      Files.move(file, old, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void namesPartitionsAlikeInALocaleWithDigitsOfItsOwn() throws Exception {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.of("fa"));
    try {
      SortJob.of(List.of(input), output).partitioned().run();
    } finally {
      Locale.setDefault(before);
    }
    assertTrue(Files.isRegularFile(output.resolve("part-0000")));
  }
}
