package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Files that another program changes while a flow reads them.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ChangingFileTest {
  @TempDir Path folder;

  /// What is done to a file of 1000 bytes after its first 100 were read.
  @FunctionalInterface
  private interface Change {
    void to(FileChannel file) throws IOException;
  }

  private long read(Change change) throws Exception {
    Path file = Files.write(folder.resolve("in"), new byte[1000]);
    var read = new AtomicLong();
    Numbers.run(
        Flow.named("read")
            .stage(
                "read",
                () ->
                    (in, out) -> {
                      if (read.getAndAdd(in.size()) == 0) {
                        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                          change.to(channel);
                        }
                      }
                    })
            .feed("read", FileStream.reading(file, 100))
            .build());
    return read.get();
  }

  @Test
  void failsWhenAFileIsCutShort() {
    FlowException failure =
        assertThrows(FlowException.class, () -> read(file -> file.truncate(450)));
    assertEquals(FlowException.Phase.PROCESS, failure.phase());
    assertTrue(
        failure.getMessage().contains("it had 1000 bytes and now ends after 450"),
        failure.getMessage());
  }

  /// As all in that file system: it says that it has a page.
  @Test
  void readsAFileThatHasLessThanItSays() throws Exception {
    Path file = Path.of("/sys/devices/system/cpu/online");
    assumeTrue(Files.isReadable(file), "/sys is not there");
    var read = new AtomicLong();
    Numbers.run(
        Flow.named("read")
            .stage("read", () -> (in, out) -> read.getAndAdd(in.size()))
            .feed("read", FileStream.reading(file, 100))
            .build());
    assertEquals(Files.readAllBytes(file).length, read.get());
  }

  @Test
  void readsWhatIsAppended() throws Exception {
    assertEquals(1300, read(file -> file.write(ByteBuffer.allocate(300), 1000)));
  }
}
