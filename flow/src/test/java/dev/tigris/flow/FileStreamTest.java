// Over 400 lines: one rule of files a test, each with the files that it needs.
package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FileStreamTest {
  @TempDir Path folder;

  private Path file(String name, int bytes) throws IOException {
    byte[] content = new byte[bytes];
    new SplittableRandom(bytes).nextBytes(content);
    return Files.write(folder.resolve(name), content);
  }

  private List<String> names() throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 999, 1000, 1001, 123_456})
  void copiesAFile(int bytes) throws Exception {
    Path in = file("in", bytes);
    Path out = folder.resolve("out");
    FlowRun run =
        Flow.named("copy")
            .stage("pass", () -> (water, stream) -> stream.put(water))
            .feed("pass", FileStream.reading(in, 1000))
            .drain("pass", FileStream.writing(out))
            .build()
            .start();
    run.await();
    assertArrayEquals(Files.readAllBytes(in), Files.readAllBytes(out));
    assertEquals(List.of("in", "out"), names());
    for (FlowSnapshot.Channel stream : run.snapshot().streams()) {
      assertEquals(bytes, stream.counters().bytes());
      assertEquals(0, stream.counters().outstanding());
      assertEquals(0, stream.counters().copies());
    }
  }

  static final class Copies {
    public static void main(String[] arguments) throws Exception {
      Flow.named("copy")
          .stage("pass", () -> (water, stream) -> stream.put(water))
          .feed("pass", FileStream.reading(Path.of(arguments[0]), 1000))
          .drain("pass", FileStream.writing(Path.of(arguments[1])))
          .build()
          .start()
          .await();
      System.out.println("copied");
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void writesIntoAFolderThatMayNotBeRead() throws Exception {
    Needs.root("a process that is bound by permissions");
    Path in = file("in", 10_000);
    Path closed = Files.createDirectory(folder.resolve("closed"));
    Path out = closed.resolve("out");
    Command copies = Jvm.of(Copies.class).quick().command(in.toString(), out.toString()).bound();
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("-wx------"));
    assertEquals("copied\n", copies.output());
    assertEquals("copied\n", copies.output()); // over what is there
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
    assertArrayEquals(Files.readAllBytes(in), Files.readAllBytes(out));
    assertArrayEquals(new String[] {"out"}, closed.toFile().list());
  }

  /// Each water is used again, after it has had a checksum; and its data comes from outside.
  @Test
  void copiesAFileThroughStreamsWithChecksums() throws Exception {
    Path in = file("in", 100_000);
    Path out = folder.resolve("out");
    Flow.named("copy")
        .stage("read", () -> (water, stream) -> stream.put(water))
        .feed("read", FileStream.reading(in, 1000))
        .reservoir(Reservoir.roundRobin().withWindow(2).withKind(CopyingStream::new))
        .stage("pass", () -> (water, stream) -> stream.put(water))
        .reservoir(Reservoir.roundRobin().withWindow(2))
        .stage("write", () -> (water, stream) -> stream.put(water))
        .drain("write", FileStream.writing(out))
        .checksums()
        .build()
        .start()
        .await();
    assertArrayEquals(Files.readAllBytes(in), Files.readAllBytes(out));
  }

  /// What that would publish is the output of a flow that may yet fail.
  @Test
  void isNotClosedByAModule() throws Exception {
    FlowRun run =
        Flow.named("closes")
            .stage("stage", () -> (water, stream) -> stream.close(true))
            .feed("stage", FileStream.reading(file("in", 1000), 1000))
            .drain("stage", FileStream.writing(folder.resolve("out")))
            .build()
            .start();
    String why = assertThrows(FlowException.class, run::await).getCause().getMessage();
    assertTrue(why.startsWith("the flow closes stream stage"), why);
    assertEquals(List.of("in"), names());
  }

  @Test
  void sharesAFileOutAmongReplicas() throws Exception {
    Path in = file("in", 10_000);
    Path out = folder.resolve("out");
    Flow.named("share")
        .stage("read", () -> (water, stream) -> stream.put(water), 2)
        .feed(
            "read",
            FileStream.reading(in, 0, 5_000, 512),
            FileStream.reading(in, 5_000, Long.MAX_VALUE, 512))
        .reservoir(Reservoir.random())
        .stage("write", WriteInPlace::new)
        .drain("write", FileStream.writing(out))
        .build()
        .start()
        .await();
    assertEquals(10_000, Files.size(out));
    byte[] sortedIn = Files.readAllBytes(in);
    byte[] sortedOut = Files.readAllBytes(out);
    java.util.Arrays.sort(sortedIn);
    java.util.Arrays.sort(sortedOut);
    assertArrayEquals(sortedIn, sortedOut);
  }

  /// Writes its waters one after the other, seeking to each place.
  private static final class WriteInPlace implements Module {
    private long position;

    @Override
    public void process(Water in, Stream out) {
      FileStream file = assertInstanceOf(FileStream.class, out);
      file.seek(position);
      position += in.size();
      file.put(in);
      assertEquals(position, file.position());
    }
  }

  @Test
  void refusesAWaterThatIsLargerThanABufferCanBe() {
    BufferSpring spring = new BufferSpring("large");
    assertThrows(IllegalArgumentException.class, () -> spring.createWater(Integer.MAX_VALUE));
  }

  @Test
  void seeksInWhatItReads() throws Exception {
    Path in = file("in", 4096);
    List<Long> positions = new ArrayList<>();
    Flow.named("seek")
        .stage("skip", () -> new Skip(positions))
        .feed("skip", FileStream.reading(in, 512))
        .build()
        .start()
        .await();
    assertEquals(List.of(0L, 1024L, 2048L, 3072L), positions);
  }

  /// Leaves out every second water.
  private static final class Skip implements Module {
    private final List<Long> positions;
    private FileStream input;

    Skip(List<Long> positions) {
      this.positions = positions;
    }

    @Override
    public void init(ModuleContext context) {
      input = assertInstanceOf(FileStream.class, context.inputs().getFirst());
    }

    @Override
    public void process(Water in, Stream out) {
      positions.add(input.position() - in.size());
      input.seek(input.position() + 512);
    }
  }

  @Test
  void namesTheFileThatIsMissing() throws Exception {
    Path missing = folder.resolve("missing");
    FlowRun run =
        Flow.named("missing")
            .stage("sink", () -> (in, out) -> {})
            .feed("sink", FileStream.reading(missing, 10))
            .build()
            .start();
    FlowException failure = assertThrows(FlowException.class, run::await);
    assertInstanceOf(NoSuchFileException.class, failure.getCause());
    assertTrue(failure.getMessage().contains(missing.toString()), failure.getMessage());
    assertTrue(run.isDone());
  }

  @Test
  void namesTheFileThatCannotBeRead() {
    FlowRun run =
        Flow.named("folder")
            .stage("sink", () -> (in, out) -> {})
            .feed("sink", FileStream.reading(folder, 10))
            .build()
            .start();
    FlowException failure = assertThrows(FlowException.class, run::await);
    assertTrue(failure.getMessage().contains(folder.toString()), failure.getMessage());
  }

  @Test
  void leavesNothingOfWhatWasNotCompleted() throws Exception {
    Path in = file("in", 10_000);
    Path old = Files.writeString(folder.resolve("old"), "old");
    FlowRun run =
        Flow.named("incomplete")
            .stage("pass", FailsLate::new)
            .feed("pass", FileStream.reading(in, 100))
            .drain("pass", FileStream.writing(folder.resolve("out")), FileStream.writing(old))
            .build()
            .start();
    assertThrows(FlowException.class, run::await);
    assertEquals(List.of("in", "old"), names());
    assertEquals("old", Files.readString(old));
  }

  private static final class FailsLate implements Module {
    private int seen;

    @Override
    public void process(Water in, Stream out) {
      out.put(in);
      if (++seen == 50) {
        throw new IllegalArgumentException("late");
      }
    }
  }

  @Test
  void doesNotReadOnWhenItsReaderHasEnded() throws Exception {
    Path in = file("in", 100_000);
    FlowRun run =
        Flow.named("enough")
            .stage(
                "head",
                () ->
                    (water, stream) -> {
                      throw new EndOfStreamException();
                    })
            .feed("head", FileStream.reading(in, 100))
            .build()
            .start();
    run.await();
    assertEquals(1, run.snapshot().streams().getFirst().counters().taken());
  }

  @Test
  void refusesToPutOnAFileThatIsRead() throws Exception {
    Stream reading =
        FileStream.reading(file("in", 10), 10).open(new StreamKind.Place("reading", 1));
    Water water = reading.spring().createWater(1);
    assertThrows(IllegalStateException.class, () -> reading.put(water));
    reading.close(true);
    assertThrows(IllegalArgumentException.class, () -> FileStream.reading(folder, 0));
    assertThrows(IllegalArgumentException.class, () -> FileStream.reading(folder, -1, 1, 1));
  }

  @Test
  void putsNoFileInPlaceWhenOneOfThemCannotBe() throws Exception {
    Path first = Files.writeString(folder.resolve("first"), "old");
    Path second = folder.resolve("second");
    FlowRun run =
        Flow.named("both")
            .source(
                "make",
                () ->
                    stream -> {
                      Numbers.put(stream, 1);
                      Files.createDirectories(second.resolve("in the way"));
                      return false;
                    })
            .drain("make", FileStream.writing(first), FileStream.writing(second))
            .build()
            .start();
    FlowException failure = assertThrows(FlowException.class, run::await);
    assertTrue(failure.getMessage().contains(second.toString()), failure.getMessage());
    assertEquals("old", Files.readString(first));
    assertEquals(List.of("first", "second"), names());
  }

  /// The files of `/proc` say that they have no bytes.
  @Test
  void readsFilesThatDoNotSayHowLongTheyAre() throws Exception {
    Path said = Path.of("/proc/self/cmdline");
    assumeTrue(Files.exists(said));
    Path out = folder.resolve("out");
    copy(said, out).await();
    assertArrayEquals(Files.readAllBytes(said), Files.readAllBytes(out));
    copy(Path.of("/dev/null"), out).await();
    assertEquals(0, Files.size(out));
  }

  /// What comes out of a pipe has no position; and nobody writes to this one, so that whoever opens
  /// it waits for ever.
  @Test
  void refusesToReadAPipe() throws Exception {
    Path pipe = pipe();
    FlowException failure =
        assertTimeoutPreemptively(
            Duration.ofSeconds(30),
            () -> assertThrows(FlowException.class, copy(pipe, folder.resolve("out"))::await));
    assertEquals(FlowException.Phase.OPEN, failure.phase());
    assertTrue(failure.getMessage().contains(pipe + " is a pipe"), failure.getMessage());
    assertEquals(List.of("pipe"), names());
  }

  @Test
  void leavesAPipeThatIsToBeWrittenWhereItIs() throws Exception {
    Path pipe = pipe();
    FlowException failure =
        assertThrows(FlowException.class, () -> copy(file("in", 100), pipe).await());
    assertTrue(failure.getMessage().contains(pipe + " is a pipe"), failure.getMessage());
    assertFalse(Files.isRegularFile(pipe));
    assertEquals(List.of("in", "pipe"), names());
  }

  /// As with `/dev/stdout` of a program whose output is a file that has something in it.
  @Test
  void replacesNoFileThatAProcessWasStartedWith() throws Exception {
    Path log = Files.writeString(folder.resolve("log"), "precious");
    try (FileChannel open = FileChannel.open(log, StandardOpenOption.WRITE)) {
      Path descriptor = descriptorOf(log);
      FlowException failure =
          assertThrows(FlowException.class, () -> copy(file("in", 100), descriptor).await());
      assertTrue(failure.getMessage().contains("is not empty"), failure.getMessage());
      assertEquals("precious", Files.readString(log));
      open.truncate(0);
      copy(file("in", 100), descriptor).await();
      assertEquals(100, Files.size(log));
    }
    assertEquals(List.of("in", "log"), names());
  }

  private static Path descriptorOf(Path file) throws IOException {
    Path all = Path.of("/proc/self/fd");
    assumeTrue(Files.isDirectory(all), "there are no names for open files");
    try (var each = Files.list(all)) {
      return each.filter(link -> leadsTo(link, file)).findFirst().orElseThrow();
    }
  }

  private static boolean leadsTo(Path link, Path file) {
    try {
      return Files.readSymbolicLink(link).equals(file.toRealPath());
    } catch (IOException e) {
      return false; // what was open to list them
    }
  }

  @Test
  void saysThatALinkLeadsNowhere() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("nowhere"));
    FlowException failure =
        assertThrows(FlowException.class, () -> copy(file("in", 100), link).await());
    assertTrue(failure.getMessage().contains("leads nowhere"), failure.getMessage());
  }

  private Path pipe() {
    Path pipe = folder.resolve("pipe");
    Needs.program("mkfifo", "coreutils");
    String _ = Command.of("mkfifo", pipe.toString()).output();
    return pipe;
  }

  private static FlowRun copy(Path in, Path out) {
    return Flow.named("copy")
        .stage("pass", () -> (water, stream) -> stream.put(water))
        .feed("pass", FileStream.reading(in, 100))
        .drain("pass", FileStream.writing(out))
        .build()
        .start();
  }
}
