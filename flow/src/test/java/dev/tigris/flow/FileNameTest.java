package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Under which names, and for whom, a flow's files appear.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FileNameTest {
  @TempDir Path folder;

  private Path file(String name, int bytes) throws IOException {
    return Files.write(folder.resolve(name), new byte[bytes]);
  }

  @Test
  void writesWhereASymbolicLinkLeadsTo() throws Exception {
    Path target = file("target", 10);
    Path link = Files.createSymbolicLink(folder.resolve("link"), target);
    Flow.named("link")
        .stage("pass", () -> (in, out) -> out.put(in))
        .feed("pass", FileStream.reading(file("in", 4096), 512))
        .drain("pass", FileStream.writing(link))
        .build()
        .start()
        .await();
    assertTrue(Files.isSymbolicLink(link));
    assertEquals(4096, Files.size(target));
  }

  /// Another name for the same folder, and a name that is as long as names may be.
  @Test
  void refusesToWriteOneFileWithTwoStreams() throws Exception {
    Path real = Files.createDirectory(folder.resolve("real"));
    Path linked = Files.createSymbolicLink(folder.resolve("linked"), real);
    refusesBoth(folder.resolve("out"), folder.resolve("./out"));
    String longest = "n".repeat(255);
    refusesBoth(real.resolve(longest), linked.resolve(longest));
  }

  private void refusesBoth(Path out, Path same) throws Exception {
    FlowRun run =
        Flow.named("same")
            .source("count", Numbers.counting(0, 100))
            .drain("count", FileStream.writing(out), FileStream.writing(same))
            .build()
            .start();
    FlowException refused = assertThrows(FlowException.class, run::await);
    assertTrue(
        refused.getMessage().contains("give one of them another name"), refused.getMessage());
    try (var left = Files.find(folder, 2, (path, what) -> what.isRegularFile())) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void writesWithTheUsualPermissions() throws Exception {
    Path out = folder.resolve("out");
    Path usual = Files.createFile(folder.resolve("usual"));
    writeNothing(out);
    assertEquals(Files.getPosixFilePermissions(usual), Files.getPosixFilePermissions(out));
    assertFalse(Files.isExecutable(out));
  }

  private static void writeNothing(Path out) throws Exception {
    Flow.named("nothing")
        .source("none", () -> stream -> false)
        .drain("none", FileStream.writing(out))
        .build()
        .start()
        .await();
  }

  /// What others could not read before they cannot read afterwards, nor meanwhile.
  @Test
  void leavesThePermissionsOfWhatItReplaces() throws Exception {
    Path out = Files.writeString(folder.resolve("out"), "old");
    Set<PosixFilePermission> owners = PosixFilePermissions.fromString("rw-------");
    Files.setPosixFilePermissions(out, owners);
    List<Set<PosixFilePermission>> meanwhile = new ArrayList<>();
    Flow.named("private")
        .stage(
            "pass",
            () ->
                (water, stream) -> {
                  stream.put(water);
                  try (var partial = Files.newDirectoryStream(folder, ".out*")) {
                    for (Path file : partial) {
                      meanwhile.add(Files.getPosixFilePermissions(file));
                    }
                  }
                })
        .feed("pass", FileStream.reading(file("in", 10), 100))
        .drain("pass", FileStream.writing(out))
        .build()
        .start()
        .await();
    assertEquals(List.of(owners), meanwhile);
    assertEquals(owners, Files.getPosixFilePermissions(out));
    assertEquals(10, Files.size(out));
  }

  @Test
  void leavesTheGroupOfWhatItReplaces() throws Exception {
    Path out = Files.writeString(folder.resolve("out"), "old");
    try {
      Files.setAttribute(out, "unix:gid", 65_533);
    } catch (FileSystemException e) {
      abort("skipped: only root can give a file to a group that it is not in");
    }
    writeNothing(out);
    assertEquals(65_533, Files.getAttribute(out, "unix:gid"));
    assertEquals(0, Files.size(out));
  }
}
