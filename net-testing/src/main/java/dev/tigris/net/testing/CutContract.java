package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.net.InterfaceState;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import org.junit.jupiter.api.Test;

/// The contract for a connection over a provider when one of its messages is cut.
public abstract class CutContract extends FabricContract {
  /// With it, the first message of the connecting side passes, and that of the accepting side is
  /// cut.
  private static final long SEED = 6;

  /// Wraps a provider.
  ///
  /// @param anyAddress an address of its form that nobody else uses
  protected CutContract(String provider, String anyAddress) {
    super(new FaultySubject(provider, anyAddress, Faults.NONE.withCut(0.5).withSeed(SEED)));
  }

  @Test
  void breakItAfterTheGoodbyeOfThePeerToo() {
    connect();
    Ticket unread = left.send(left.memory(text("unread")));
    expect(left, unread, Status.DONE);
    left.run(left.link()::close);
    left.expectNothing();
    right.expectNothing();
    assertEquals(
        InterfaceState.CONNECTED,
        right.link().state(),
        () -> String.valueOf(right.link().failure()));
    Ticket cut = right.send(right.memory(10));
    expectBroken(right);
    assertEquals(Status.FLUSHED, cut.status());
  }
}
