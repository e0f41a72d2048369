package dev.tigris.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.message.NameService.Location;
import dev.tigris.testing.Tier;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Names: found by the tag, withdrawn at the end of their process, and kept when another process
/// takes the server over.
class NameServiceTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration BRIEF = Duration.ofMillis(100);
  private static final long TAG = 0x8000_0000_0000_0012L;
  private static final List<Location> PLACE = List.of(new Location("faulty tcp", "h:1"));

  @TempDir Path folder;

  @BeforeEach
  void closeToOthers() throws IOException {
    Path _ = Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
  }

  /// Registers an endpoint until it is killed, or its input ends.
  static final class Other {
    private Other() {}

    public static void main(String[] arguments) throws IOException {
      try (NameService names = NameService.open(Path.of(arguments[0]))) {
        names.register(arguments[1], TAG, PLACE, PATIENCE);
        System.out.println(names.isServing() ? "serves" : "registered");
        while (System.in.read() >= 0) {
          System.out.println(names.isServing() ? "serves" : "registered");
        }
      }
    }
  }

  private Child other(String name) {
    return Jvm.of(Other.class).quick().command(folder.toString(), name).start();
  }

  @Test
  void findsAnEndpointByNameAndTag() {
    try (NameService names = NameService.open(folder)) {
      assertEquals(List.of(), names.find("a", TAG, PATIENCE));
      names.register("a", TAG, PLACE, PATIENCE);
      assertTrue(names.isServing());
      assertEquals(PLACE, names.find("a", TAG, PATIENCE));
      assertThrows(MessageException.class, () -> names.find("a", 1, PATIENCE));
      names.withdraw("a");
      Wait.until("it is withdrawn", () -> names.find("a", TAG, PATIENCE).isEmpty());
      names.register("a", 1, PLACE, PATIENCE);
      assertEquals(PLACE, names.find("a", 1, PATIENCE));
      assertThrows(IllegalArgumentException.class, () -> names.register("b\t", 1, PLACE, PATIENCE));
    }
  }

  @Test
  void twoServicesOfAProcessShareTheServer() {
    try (NameService names = NameService.open(folder);
        NameService other = NameService.open(folder)) {
      names.register("a", TAG, PLACE, PATIENCE);
      assertTrue(names.isServing() ^ other.isServing());
      assertEquals(PLACE, other.find("a", TAG, PATIENCE));
      other.register("b", TAG, PLACE, PATIENCE);
      boolean isFirst = names.isServing();
      NameService open = isFirst ? other : names;
      String left = isFirst ? "b" : "a";
      (isFirst ? names : other).close();
      Wait.until("the other one serves", () -> open.isServing() && found(open, left));
    }
  }

  @Test
  void aNameIsGrantedWhenTheProcessThatHasItEnds() throws Exception {
    try (NameService names = NameService.open(folder);
        Child child = other("wanted")) {
      child.expectLine("registered");
      String said =
          assertThrows(MessageException.class, () -> names.register("wanted", TAG, PLACE, BRIEF))
              .getMessage();
      assertTrue(said.contains("another process has it"), said);
      FutureTask<String> waiting =
          new FutureTask<>(() -> names.register("wanted", TAG, PLACE, PATIENCE), "granted");
      Thread _ = Thread.ofVirtual().start(waiting);
      child.kill();
      assertEquals("granted", waiting.get(10, TimeUnit.SECONDS));
      assertTrue(found(names, "wanted"));
    }
  }

  @Test
  void saysSoWhenTheProcessThatServesIsStopped() {
    try (Child first = other("first")) {
      first.expectLine("serves");
      try (NameService names = NameService.open(folder)) {
        names.register("own", TAG, PLACE, PATIENCE);
        first.pause();
        assertEquals(List.of(), names.find("own", TAG, BRIEF));
        String said =
            assertThrows(MessageException.class, () -> names.register("more", TAG, PLACE, BRIEF))
                .getMessage();
        assertTrue(said.contains("process " + first.pid() + " is stopped"), said);
        first.resume();
        names.register("more", TAG, PLACE, PATIENCE);
        assertTrue(found(names, "more"));
        first.pause();
      }
    }
  }

  @Test
  void namesAreWithdrawnWithoutAWaitForAStoppedServer() throws Exception {
    try (Child first = other("first")) {
      first.expectLine("serves");
      try (NameService names = NameService.open(folder)) {
        names.register("own", TAG, PLACE, PATIENCE);
        first.pause();
        FutureTask<String> changing =
            new FutureTask<>(
                () -> {
                  for (int i = 0; i < 20_000; i++) { // more than the socket takes
                    CompletableFuture<String> _ = names.begin("changes", TAG, PLACE);
                    names.withdraw("changes");
                  }
                },
                "done");
        Thread _ = Thread.ofPlatform().daemon().start(changing);
        assertEquals("done", changing.get(10, TimeUnit.SECONDS));
        first.resume();
        names.register("changes", TAG, PLACE, PATIENCE);
        assertTrue(found(names, "changes"));
        assertTrue(found(names, "own"));
      }
    }
  }

  @Test
  void saysThatANameWaitsBeforeItIsGranted() throws Exception {
    try (NameService names = NameService.open(folder)) {
      names.register("own", TAG, PLACE, PATIENCE);
      UnixDomainSocketAddress at =
          UnixDomainSocketAddress.of(folder.resolve("tigris-names.socket"));
      try (SocketChannel channel = SocketChannel.open(at);
          InputStream in = Channels.newInputStream(channel);
          Scanner lines = new Scanner(in, StandardCharsets.UTF_8)) {
        say(channel, "hello\t1\t1\n");
        assertEquals("welcome\t1", lines.nextLine());
        for (int i = 0; i < Tier.choose(100, 2_000, 20_000); i++) {
          names.register("wanted", TAG, PLACE, PATIENCE);
          FutureTask<String> withdrawing =
              new FutureTask<>(() -> names.withdraw("wanted"), "withdrawn");
          Thread _ = Thread.ofPlatform().start(withdrawing);
          say(channel, "register\t7\ttcp\th:1\t%x\twanted\n".formatted(i));
          String line = lines.nextLine();
          if (line.startsWith("waiting")) {
            line = lines.nextLine();
          }
          assertEquals("ok\twanted\t%x".formatted(i), line);
          say(channel, "withdraw\twanted\nfind\t7\tnothing\n");
          assertEquals("absent", lines.nextLine(), "nothing comes after that");
          assertEquals("withdrawn", withdrawing.get(10, TimeUnit.SECONDS));
        }
      }
    }
  }

  private static void say(SocketChannel channel, String lines) throws IOException {
    int _ = channel.write(ByteBuffer.wrap(lines.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void refusesAnAnswerWithoutAnEnd() throws Exception {
    Path at = folder.resolve("endless");
    try (ServerSocketChannel listening =
        ServerSocketChannel.open(StandardProtocolFamily.UNIX)
            .bind(UnixDomainSocketAddress.of(at))) {
      Thread _ = Thread.ofVirtual().start(() -> answerForEver(listening));
      NameConnection connection = NameConnection.to(at);
      String said =
          assertThrows(IOException.class, () -> connection.ask(PATIENCE, "find", "7", "name"))
              .getMessage();
      assertTrue(said.contains("more than 256 places"), said);
    }
  }

  private static void answerForEver(ServerSocketChannel listening) {
    try (SocketChannel channel = listening.accept()) {
      say(channel, "welcome\t1\n");
      while (true) {
        say(channel, "at\ttcp\th:1\n");
      }
    } catch (IOException e) {
      // the other side has ended it
    }
  }

  @Test
  void takesTheTemporaryFolderWhereOthersMayEnterTheGivenOne() throws IOException {
    assertEquals(folder, RuntimeFolder.find(folder.toString()));
    Path _ = Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-x---"));
    Path found = RuntimeFolder.find(folder.toString());
    assertTrue(found.toString().startsWith("/tmp/tigris-"), found::toString);
    assertEquals(found, RuntimeFolder.find(null));
    assertEquals(found, RuntimeFolder.find(folder.resolve("nothing").toString()));
  }

  @Test
  void refusesAFolderThatOthersMayEnter() throws IOException {
    Path _ = Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-x---"));
    String said = assertThrows(MessageException.class, () -> NameService.open(folder)).getMessage();
    assertTrue(said.contains("chmod 700"), said);
  }

  @Test
  void anotherProcessTakesOverWhenTheServerIsKilled() {
    try (Child first = other("first")) {
      first.expectLine("serves");
      try (NameService names = NameService.open(folder);
          Child second = other("second")) {
        names.register("own", TAG, PLACE, PATIENCE);
        second.expectLine("registered");
        assertFalse(names.isServing());
        assertEquals(PLACE, names.find("first", TAG, PATIENCE));
        assertThrows(MessageException.class, () -> names.register("first", TAG, PLACE, BRIEF));
        first.kill();
        Wait.until("all are registered again", () -> found(names, "own") && found(names, "second"));
        assertFalse(found(names, "first"));
      }
    }
  }

  private static boolean found(NameService names, String name) {
    return names.find(name, TAG, PATIENCE).equals(PLACE);
  }

  @Test
  void aNameEndsWithItsProcess() {
    try (NameService names = NameService.open(folder)) {
      names.register("own", TAG, PLACE, PATIENCE);
      try (Child child = other("child")) {
        child.expectLine("registered");
        assertTrue(found(names, "child"));
        child.kill();
        Wait.until("it is gone", () -> !found(names, "child"));
      }
      assertTrue(found(names, "own"));
    }
  }

  @Test
  void aProcessThatSendsGarbageIsCutOff() throws IOException {
    try (NameService names = NameService.open(folder)) {
      names.register("own", TAG, PLACE, PATIENCE);
      UnixDomainSocketAddress at =
          UnixDomainSocketAddress.of(folder.resolve("tigris-names.socket"));
      for (String garbage :
          List.of("\n", "hello\n", "hello\t1\tx\n", "hello\t1\t1\nregister\n", "x".repeat(9000))) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
          assertTrue(channel.connect(at));
          int _ = channel.write(ByteBuffer.wrap(garbage.getBytes(StandardCharsets.UTF_8)));
          ByteBuffer answer = ByteBuffer.allocate(100);
          while (isOpen(channel, answer)) {
            answer.clear();
          }
        }
      }
      try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
        assertTrue(channel.connect(at));
        int _ = channel.write(ByteBuffer.wrap("hello\t7\t9\n".getBytes(StandardCharsets.UTF_8)));
        ByteBuffer answer = ByteBuffer.allocate(100);
        int length = channel.read(answer);
        assertEquals(
            "refused\t1\t1\n", new String(answer.array(), 0, length, StandardCharsets.UTF_8));
      }
      assertTrue(found(names, "own"));
    }
  }

  private static boolean isOpen(SocketChannel channel, ByteBuffer answer) {
    try {
      return channel.read(answer) >= 0;
    } catch (IOException e) {
      return false; // what it had not read yet
    }
  }

  @Test
  void mapsAPeerByItsName() {
    try (NameService names = NameService.open(folder);
        Party server = new Party(Options.DEFAULT, "tcp");
        Party client = new Party(Options.DEFAULT, "tcp")) {
      server.run(
          () -> {
            Endpoint at = server.bundle().endpoint("sums", TAG);
            at.handler(1, (token, message) -> token.reply(1, message.word(0) + message.word(1)));
            assertThrows(IllegalArgumentException.class, () -> at.register(names, PATIENCE));
            String _ = server.bundle().listen("tcp", "127.0.0.1:0");
            at.register(names, PATIENCE);
          });
      client.run(
          () -> {
            Endpoint from = client.bundle().endpoint("client", 1);
            long[] sum = {0};
            from.handler(1, (token, message) -> sum[0] = message.word(0));
            from.map(0, names, "sums", TAG, PATIENCE);
            from.request(0, 1, 3, 4);
            while (sum[0] == 0) {
              boolean _ = client.bundle().await(PATIENCE);
            }
            assertEquals(7, sum[0]);
            assertThrows(
                MessageException.class,
                () -> from.map(1, names, "nothing", TAG, Duration.ofMillis(30)));
          });
    }
  }

  /// Many short look-ups come before the name is there.
  @Test
  void waitsForANameThatIsRegisteredLater() throws Exception {
    try (NameService names = NameService.open(folder);
        Party server = new Party(Options.DEFAULT, "tcp");
        Party client = new Party(Options.DEFAULT, "tcp")) {
      CountDownLatch missed = new CountDownLatch(1);
      FutureTask<Boolean> mapped =
          client.start(
              () -> {
                Endpoint from = client.bundle().endpoint("client", 1);
                String said =
                    assertThrows(
                            MessageException.class,
                            () -> from.map(0, names, "late", TAG, Duration.ofMillis(700)))
                        .getMessage();
                assertTrue(said.contains("no process has registered it"), said);
                missed.countDown();
                from.map(0, names, "late", TAG, PATIENCE);
                return from.isMapped(0);
              });
      server.run(
          () -> {
            Endpoint at = server.bundle().endpoint("late", TAG);
            String _ = server.bundle().listen("tcp", "0.0.0.0:0");
            missed.await();
            at.register(names, PATIENCE);
            Endpoint beside = server.bundle().endpoint("beside", TAG);
            String said =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> beside.map(0, names, "late", TAG, PATIENCE))
                    .getMessage();
            assertTrue(said.contains("this bundle's own address"), said);
          });
      assertTrue(mapped.get());
    }
  }
}
