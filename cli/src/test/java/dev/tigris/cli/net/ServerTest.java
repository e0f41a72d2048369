package dev.tigris.cli.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
@Timeout(60)
class ServerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final long UNKNOWN_TAG = 0;

  /// Serves, and when it is told to opens all files that it may but a few. Where those are none, it
  /// closes them again as soon as somebody has said that there are too many.
  static final class Child {
    private static final List<FileInputStream> HELD = new ArrayList<>();

    private Child() {}

    public static void main(String[] arguments) throws Exception {
      BufferedReader orders =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      int filesLeft = Integer.parseInt(arguments[0]);
      PipedInputStream errors = new PipedInputStream(1 << 16);
      System.setErr(new PrintStream(new PipedOutputStream(errors), true, StandardCharsets.UTF_8));
      Fabric fabric = Fabric.open("tcp");
      Server server = new Server(fabric, "127.0.0.1:0");
      Thread.ofPlatform().daemon().start(server::run);
      System.out.println(server.address());
      System.err.println(new NetException("load", "this", "which needs a file", null));
      System.getLogger(Server.class.getName()).log(System.Logger.Level.WARNING, "{0}", "loaded");
      String _ = orders.readLine();
      awaitThoseWhoServe();
      try {
        while (true) {
          HELD.add(new FileInputStream("/dev/null"));
        }
      } catch (IOException noMore) {
        close(filesLeft);
      }
      System.out.println("ready");
      if (filesLeft == 0) {
        awaitTooMany(errors);
        close(HELD.size());
      }
      String _ = orders.readLine();
    }

    private static void close(int files) throws IOException {
      for (int i = 0; i < files; i++) {
        HELD.removeLast().close();
      }
    }

    private static void awaitTooMany(InputStream errors) throws IOException {
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(errors, StandardCharsets.UTF_8));
      String line = lines.readLine();
      while (line != null && !line.contains("oo many open files")) {
        line = lines.readLine();
      }
    }

    /// Who has been served is let go, and has loaded what takes files to load.
    private static void awaitThoseWhoServe() throws InterruptedException {
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        if (thread.getName().equals("tigris-net-server")) {
          thread.join();
        }
      }
    }
  }

  private static Connection ask(Fabric fabric, CompletionQueue queue, String address, long tag) {
    return fabric.connect(address, tag, queue, Attributes.DEFAULT, PATIENCE);
  }

  private static void expectRejection(Connection connection) {
    Connection.Refused refusal = assertInstanceOf(Connection.Refused.class, connection);
    assertEquals(Connection.Reason.REJECTED, refusal.reason(), refusal.detail());
  }

  /// What becomes of somebody who connects when a server may open no more than so many files.
  private static Connection askWithFilesLeft(int filesLeft) throws Exception {
    Command command =
        Jvm.of(Child.class)
            .quick()
            .command(String.valueOf(filesLeft))
            .after("ulimit -n 200")
            .errorsApart();
    try (Fabric fabric = Fabric.open("tcp");
        CompletionQueue queue = fabric.completionQueue();
        var child = command.start()) {
      String address = child.nextLine();
      expectRejection(ask(fabric, queue, address, UNKNOWN_TAG));
      assertInstanceOf(
              Connection.Established.class, ask(fabric, queue, address, Mode.PING_PONG.tag(8)))
          .virtualInterface()
          .close();
      child.say("go");
      child.expectLine("ready");
      return ask(fabric, queue, address, Mode.PING_PONG.tag(8));
    }
  }

  /// Who has come would wait for ever otherwise, and its connection stay open.
  @Test
  void rejectsWhomItHasNoQueueFor() throws Exception {
    expectRejection(askWithFilesLeft(1)); // for the connection
  }

  @Test
  void servesWhoHasWaitedForAFile() throws Exception {
    assertInstanceOf(Connection.Established.class, askWithFilesLeft(0));
  }
}
