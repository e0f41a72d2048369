package dev.tigris.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Slow;
import dev.tigris.testing.Tier;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Either end of a stream is paused (SIGSTOP) and killed (SIGKILL) in each state of it, over each
/// provider.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@ParameterizedClass
@MethodSource("providers")
class StreamDeathTest {
  /// What the stream is doing.
  enum State {
    /// The sender asks, and its receiver is not there yet.
    CONNECTING,
    /// Both ends are there, and nothing was put.
    ATTACHED,
    /// Waters were put, of which the receiver holds one.
    STREAMING,
    /// The sender waits for credit in a put, and the receiver holds a water.
    WAITING,
    /// A large water was announced to a receiver that is stopped, and so grants nothing.
    ANNOUNCED,
    /// The sender has ended the stream, and its receiver holds a water.
    ENDING,
    /// The receiver has finished all waters and has seen the end.
    ENDED,
    /// The receiver has stopped, and its sender is in a long call.
    STOPPING
  }

  static List<String> providers() {
    return Tier.current() == Tier.QUICK ? List.of("tcp") : List.of("tcp", "shm", "uring");
  }

  private final String provider;
  private final Child receiver;
  private final String address;
  private final Child sender;

  StreamDeathTest(String provider) {
    this.provider = provider;
    String any = provider.equals("shm") ? "*" : "127.0.0.1:0";
    receiver = Jvm.of(StreamActors.Receiver.class).quick().command(provider, any).start();
    address = String.valueOf(receiver.nextLine());
    sender = startSender();
  }

  private Child startSender() {
    return Jvm.of(StreamActors.Sender.class).quick().command(provider, address).start();
  }

  /// Pauses each end for a moment.
  private void pauseBoth() {
    for (Child each : new Child[] {sender, receiver}) {
      each.pause();
      each.resume();
    }
  }

  private void bringTo(State state) {
    sender.expectLine("connects");
    pauseBoth();
    if (state == State.CONNECTING) {
      return;
    }
    receiver.say("listen");
    sender.expectLine("attached");
    pauseBoth();
    if (state == State.ATTACHED) {
      return;
    }
    sender.say("3");
    sender.expectLine("put 3");
    receiver.expectLine("holds 0");
    pauseBoth();
    switch (state) {
      case WAITING -> {
        sender.say("20");
        pauseBoth();
      }
      case ANNOUNCED -> {
        receiver.pause();
        sender.say("large");
        sender.expectLine("put 4");
      }
      case ENDING, ENDED -> {
        sender.say("end");
        sender.expectLine("ends");
        pauseBoth();
        if (state == State.ENDED) {
          receiver.say("9");
          receiver.expectLine("finish 3");
        }
      }
      case STOPPING -> {
        receiver.say("stop");
        pauseBoth();
      }
      default -> {}
    }
  }

  private static void expectLoss(Child child, String end) {
    String line = String.valueOf(child.nextLine());
    assertTrue(line.startsWith("failed: ") && line.contains("has lost its " + end), line);
    child.outcome().expect(0);
  }

  private static void expectWell(Child child) {
    child.expectLine("well").outcome().expect(0);
  }

  @Slow("starts sixteen JVMs for each provider")
  @ParameterizedTest
  @EnumSource(State.class)
  void theSenderIsKilled(State state) {
    bringTo(state);
    sender.kill();
    switch (state) {
      case CONNECTING -> { // another one may come
        receiver.say("listen");
        try (Child other = startSender()) {
          other.expectLine("connects").expectLine("attached").say("end");
          receiver.expectLine("finish 0");
          expectWell(receiver);
        }
      }
      case ATTACHED -> expectLoss(receiver, "sender");
      case STREAMING, WAITING -> { // it may take all that has come before it notices
        receiver.say("20");
        expectLoss(receiver, "sender");
      }
      case ANNOUNCED -> {
        receiver.resume();
        receiver.say("20");
        expectLoss(receiver, "sender");
      }
      case ENDED -> expectWell(receiver);
      case ENDING -> { // all waters have come, and the end
        receiver.say("9");
        receiver.expectLine("finish 3");
        expectWell(receiver);
      }
      case STOPPING -> expectWell(receiver);
    }
  }

  @Slow("starts sixteen JVMs for each provider")
  @ParameterizedTest
  @EnumSource(State.class)
  void theReceiverIsKilled(State state) {
    bringTo(state);
    receiver.kill();
    switch (state) {
      case CONNECTING -> {
        String line = String.valueOf(sender.nextLine());
        assertTrue(line.startsWith("failed: ") && line.contains("acts"), line);
      }
      case WAITING, ENDING -> expectLoss(sender, "receiver"); // it reads nothing any more
      case ENDED -> { // it may have heard that all is finished
        String line = String.valueOf(sender.nextLine());
        assertTrue(line.equals("well") || line.contains("has lost its receiver"), line);
        sender.outcome().expect(0);
      }
      case STOPPING -> { // it may have heard of the stop, and then lacks nothing
        sender.say("20");
        String line = String.valueOf(sender.nextLine());
        assertTrue(line.equals("well") || line.contains("has lost its receiver"), line);
        sender.outcome().expect(0);
      }
      default -> {
        sender.say("20");
        expectLoss(sender, "receiver");
      }
    }
  }

  @Test
  void endsThatArePausedInEachStateLoseNothing() {
    bringTo(State.ENDING);
    receiver.say("9");
    receiver.expectLine("finish 3");
    expectWell(receiver);
    expectWell(sender);
  }
}
