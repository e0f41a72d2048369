package dev.tigris.flow.mirror;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamGroup;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.testing.StreamContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MirrorContractTest {
  private static final int BLOCK_BYTES = 4096;

  @TempDir Path folder;

  @TestFactory
  java.util.stream.Stream<DynamicTest> dataSetsKeepTheContractOfStoringStreams()
      throws IOException {
    List<Path> disks = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      disks.add(Files.createDirectory(folder.resolve(name)));
    }
    return StreamContract.storing(window -> new Ends(disks, window)).checks().stream()
        .map(check -> DynamicTest.dynamicTest(check.name(), check::run));
  }

  /// A data set of one segment that is written, and then read.
  private static final class Ends implements StreamContract.Ends {
    private final List<Path> disks;
    private final int window;
    private final Stream sender;
    private @Nullable Stream receiver;

    Ends(List<Path> disks, int window) throws IOException {
      this.disks = disks;
      this.window = window;
      var plan = new MirrorPlan("data", disks, false, BLOCK_BYTES, 2);
      this.sender = open(new MirrorDrain(plan, Ends::refuse), "written");
    }

    private static void refuse(String warning) {
      throw new AssertionError(warning);
    }

    private Stream open(StreamGroup group, String name) throws IOException {
      List<StreamKind> kinds =
          switch (group) {
            case MirrorDrain drain -> drain.kinds(1);
            case MirrorFeed feed -> feed.kinds(1);
            default -> throw new IllegalStateException("no group of data sets: " + group);
          };
      return kinds.getFirst().open(new StreamKind.Place(name, window));
    }

    @Override
    public int waterBytes() {
      return BLOCK_BYTES;
    }

    @Override
    public Stream sender() {
      return sender;
    }

    @Override
    public Stream receiver() throws IOException {
      if (receiver == null) {
        sender.close(true);
        receiver = open(Mirror.open(disks.getLast().resolve("data.mirror")).feed(), "read");
      }
      return receiver;
    }

    @Override
    public void close() throws IOException {
      sender.close(false);
      if (receiver != null) {
        receiver.close(true);
      }
      for (Path disk : disks) {
        try (var all = Files.list(disk)) {
          List<Path> left = all.toList();
          assertEquals(receiver == null ? 0 : 2, left.size(), left::toString);
          for (Path each : left) {
            Files.delete(each);
          }
        }
      }
    }
  }
}
