package dev.tigris.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.host.TwoHosts;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Streams between two hosts whose cable is slow, loses packets, or is pulled for a while.
@Slow("starts JVMs in network namespaces")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StreamHostsTest {
  private static Child start(TwoHosts.Host host, Class<?> main, String... arguments) {
    return host.on(Jvm.of(main).quick().command(arguments)).start();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tbf rate 40mbit burst 32kb latency 50ms",
        "netem delay 5ms 3ms loss 2% duplicate 1% reorder 5%"
      })
  void aPoorCableLosesNothing(String discipline) {
    try (TwoHosts hosts = TwoHosts.connectedBy("pfifo")) {
      for (TwoHosts.Host host : List.of(hosts.near(), hosts.far())) {
        Needs.command(
            "this kernel cannot send by " + discipline,
            Command.of("tc", "-n", host.name(), "qdisc", "replace", "dev", "eth0", "root")
                .with(discipline.split(" ", -1)));
      }
      Child counter =
          start(hosts.far(), Words.Counter.class, "tcp", hosts.far().address() + ":0", "-1");
      Child reader =
          start(
              hosts.near(),
              Words.Reader.class,
              "tcp",
              String.valueOf(counter.nextLine()),
              "300",
              "20000");
      counter.expectLine("first").expectLine("300 " + 299 * 300 / 2);
      counter.outcome().expect(0);
      reader.expectLine("sent").outcome().expect(0);
    }
  }

  /// The ends of a stream on two hosts.
  private record Ends(Child sender, Child receiver) {
    /// Starts both. Three waters were put, and the receiver holds the first.
    static Ends withThreeWaters(TwoHosts hosts) {
      return withThreeWaters(hosts, "tcp", "30");
    }

    /// As above, over this provider, with a limit of silence in seconds.
    static Ends withThreeWaters(TwoHosts hosts, String provider, String silence) {
      String listen = hosts.far().address() + ":0";
      Child receiver = start(hosts.far(), StreamActors.Receiver.class, provider, listen, silence);
      String address = String.valueOf(receiver.nextLine());
      Child sender = start(hosts.near(), StreamActors.Sender.class, provider, address, silence);
      sender.expectLine("connects");
      receiver.say("listen");
      sender.expectLine("attached").say("3");
      sender.expectLine("put 3");
      receiver.expectLine("greeted").expectLine("holds 0");
      return new Ends(sender, receiver);
    }
  }

  /// The trouble that a cable has at one end.
  enum Trouble {
    PULLED,
    HALF_OPEN;

    void begin(TwoHosts.Host at) {
      if (this == PULLED) {
        at.pullCable();
      } else {
        at.beMute();
      }
    }

    void end(TwoHosts.Host at) {
      if (this == PULLED) {
        at.plugCable();
      } else {
        at.speakAgain();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"PULLED, true", "PULLED, false", "HALF_OPEN, true", "HALF_OPEN, false"})
  void aTroubleThatPassesLosesNothing(Trouble trouble, boolean atTheSender) {
    try (TwoHosts hosts = TwoHosts.connectedBy("pfifo")) {
      Ends ends = Ends.withThreeWaters(hosts);
      Child sender = ends.sender();
      Child receiver = ends.receiver();
      TwoHosts.Host at = atTheSender ? hosts.near() : hosts.far();
      trouble.begin(at);
      sender.say("5");
      sender.expectLine("put 8"); // the window
      sender.say("20");
      receiver.say("100");
      trouble.end(at);
      sender.expectLine("put 28").say("end");
      sender.expectLine("ends").expectLine("well").outcome().expect(0);
      receiver.expectLine("finish 28").expectLine("well").outcome().expect(0);
    }
  }

  /// The end that hears nothing asks in vain, and the other one hears that, but is not answered.
  @ParameterizedTest
  @CsvSource({"tcp, true", "tcp, false", "uring, true", "uring, false"})
  void aHalfOpenLinkIsALossToBothEnds(String provider, boolean senderIsMute) {
    try (TwoHosts hosts = TwoHosts.connectedBy("pfifo")) {
      Ends ends = Ends.withThreeWaters(hosts, provider, "2");
      (senderIsMute ? hosts.near() : hosts.far()).beMute();
      ends.sender().say("5");
      ends.sender().expectLine("put 8").say("1"); // which waits for credit
      expectLoss(ends.sender(), "receiver");
      ends.receiver().say("100");
      expectLoss(ends.receiver(), "sender");
    }
  }

  /// Waits until nothing has been under way for a while.
  private static void awaitQuiet(TwoHosts hosts) {
    int[] looks = new int[1];
    Wait.until(
        "both hosts have acknowledged all",
        () -> {
          boolean isQuiet = isQuiet(hosts.near()) && isQuiet(hosts.far());
          looks[0] = isQuiet ? looks[0] + 1 : 0;
          return looks[0] == 10;
        });
  }

  private static boolean isQuiet(TwoHosts.Host host) {
    return host.on(Command.of("ss", "-Htn", "state", "established"))
        .output()
        .lines()
        .allMatch(line -> line.strip().split(" +", -1)[1].equals("0"));
  }

  /// The kernel asks: the end that waits owes nothing, and is owed nothing.
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "uring"})
  void aHostThatIsGoneIsNoticedByAnEndThatWaits(String provider) {
    try (TwoHosts hosts = TwoHosts.connectedBy("pfifo")) {
      Child receiver = Ends.withThreeWaters(hosts, provider, "6").receiver();
      receiver.say("100");
      awaitQuiet(hosts); // the kernel asks for a host that owes no acknowledgement
      hosts.near().pullCable();
      expectLoss(receiver, "sender");
    }
  }

  /// The kernel sends again and again, and would do so for a quarter of an hour.
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "uring"})
  void aHostThatIsGoneIsNoticedWhileItOwesAnAcknowledgement(String provider) {
    try (TwoHosts hosts = TwoHosts.connectedBy("pfifo")) {
      Child sender = Ends.withThreeWaters(hosts, provider, "2").sender();
      hosts.far().pullCable();
      sender.say("5");
      sender.expectLine("put 8").say("1"); // which waits for credit
      expectLoss(sender, "receiver");
    }
  }

  private static void expectLoss(Child child, String end) {
    String line = String.valueOf(child.nextLine());
    assertTrue(line.startsWith("failed: ") && line.contains("has lost its " + end), line);
    child.outcome().expect(0);
  }

  /// Its kernel answers that it has no more room, for longer than the limit.
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "uring"})
  void aReceiverThatIsStoppedIsNotSilent(String provider) {
    Child receiver =
        Jvm.of(StreamActors.Receiver.class).quick().command(provider, "127.0.0.1:0", "1").start();
    String address = String.valueOf(receiver.nextLine());
    Child sender =
        Jvm.of(StreamActors.Sender.class).quick().command(provider, address, "1", "60000").start();
    receiver.say("listen");
    sender.expectLine("connects").expectLine("attached").say("1");
    sender.expectLine("put 1");
    receiver.expectLine("greeted").expectLine("holds 0");
    receiver.pause();
    sender.say("7");
    sender.expectLine("put 8").say("20");
    long start = System.nanoTime();
    Wait.until(
        "three limits of silence are over",
        () -> System.nanoTime() - start > Duration.ofSeconds(3).toNanos());
    receiver.resume();
    receiver.say("100");
    sender.expectLine("put 28").say("end");
    sender.expectLine("ends").expectLine("well").outcome().expect(0);
    receiver.expectLine("finish 28").expectLine("well").outcome().expect(0);
  }
}
