package dev.tigris.flow;

import dev.tigris.flow.testing.StreamContract;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class StreamContractTest {
  @TempDir Path folder;

  private static Stream<DynamicTest> tests(StreamContract contract) {
    return contract.checks().stream()
        .map(check -> DynamicTest.dynamicTest(check.name(), check::run));
  }

  @TestFactory
  Stream<DynamicTest> memoryKeepsTheContract() {
    return tests(StreamContract.of(StreamKind.memory()));
  }

  @TestFactory
  Stream<DynamicTest> aUsersOwnKindKeepsTheContract() {
    return tests(StreamContract.of(LockedStream::new));
  }

  @TestFactory
  Stream<DynamicTest> aUsersKindThatCarriesBytesKeepsTheContract() {
    return tests(StreamContract.of(CopyingStream::new));
  }

  @TestFactory
  Stream<DynamicTest> filesKeepTheContractOfStoringStreams() {
    return tests(StreamContract.storing(window -> new Files(folder.resolve("stored"), window)));
  }

  /// A file that is written, and then read.
  private static final class Files implements StreamContract.Ends {
    private final Path file;
    private final int window;
    private final dev.tigris.flow.Stream sender;
    private dev.tigris.flow.@Nullable Stream receiver;

    Files(Path file, int window) throws IOException {
      this.file = file;
      this.window = window;
      this.sender = FileStream.writing(file, false).open(new StreamKind.Place("written", window));
    }

    @Override
    public dev.tigris.flow.Stream sender() {
      return sender;
    }

    @Override
    public dev.tigris.flow.Stream receiver() throws IOException {
      if (receiver == null) {
        sender.close(true);
        receiver = FileStream.reading(file, 64).open(new StreamKind.Place("read", window));
      }
      return receiver;
    }

    @Override
    public void close() throws IOException {
      sender.close(false);
      if (receiver != null) {
        receiver.close(true);
      }
      java.nio.file.Files.deleteIfExists(file);
    }
  }
}
