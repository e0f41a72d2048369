package dev.tigris.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.tigris.testing.Slow;
import dev.tigris.testing.Soak;
import dev.tigris.testing.Tier;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Either end of a stream is paused (SIGSTOP) and killed (SIGKILL) in each state of it, over each
/// provider.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
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

  /// An end that waits for the other, and waters under way, tell of a lost link in ways of the
  /// provider. In all other states the stream alone decides what a loss means.
  private static final Set<State> OF_EACH_PROVIDER =
      EnumSet.of(State.ATTACHED, State.STREAMING, State.ANNOUNCED);

  private String provider = "";
  private Child receiver;
  private String address;
  private Child sender;

  /// All states over tcp, and in the soak over each provider.
  static Stream<Arguments> killedIn() {
    return Stream.of("tcp", "shm", "uring")
        .flatMap(
            provider ->
                EnumSet.allOf(State.class).stream()
                    .filter(
                        state ->
                            Tier.current() == Tier.SOAK
                                || provider.equals("tcp")
                                || OF_EACH_PROVIDER.contains(state))
                    .map(state -> argumentSet(provider + " " + state, provider, state)));
  }

  private void start(String provider) {
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

  private void bringTo(String provider, State state) {
    start(provider);
    sender.expectLine("connects");
    pauseBoth();
    if (state == State.CONNECTING) {
      return;
    }
    receiver.say("listen");
    sender.expectLine("attached");
    receiver.expectLine("greeted");
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

  @Slow("starts two JVMs for each state")
  @Soak("each state over each provider")
  @ParameterizedTest
  @MethodSource("killedIn")
  void theSenderIsKilled(String over, State state) {
    bringTo(over, state);
    sender.kill();
    switch (state) {
      case CONNECTING -> { // another one may come
        receiver.say("listen");
        try (Child other = startSender()) {
          other.expectLine("connects").expectLine("attached").say("end");
          receiver.expectLine("greeted").expectLine("finish 0");
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

  @Slow("starts two JVMs for each state")
  @Soak("each state over each provider")
  @ParameterizedTest
  @MethodSource("killedIn")
  void theReceiverIsKilled(String over, State state) {
    bringTo(over, state);
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
    bringTo("tcp", State.ENDING);
    receiver.say("9");
    receiver.expectLine("finish 3");
    expectWell(receiver);
    expectWell(sender);
  }
}
