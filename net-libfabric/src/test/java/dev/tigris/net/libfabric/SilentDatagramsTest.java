package dev.tigris.net.libfabric;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.Fabric;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.os.TcpSocket;
import dev.tigris.testing.Slow;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/// Peers over libfabric's datagrams that say nothing, for the five seconds after which they are
/// given up.
@EnabledIf(value = "isInstalled", disabledReason = "libfabric is missing: apt install libfabric1")
class SilentDatagramsTest extends HostileDatagrams {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void aWaitEndsWhenAPeerSaysNothing() throws Exception {
    assertNotNull(leave(rdmHello().toBytes(), this::awaitOne));
    String why = served.get(20, TimeUnit.SECONDS);
    assertTrue(why.startsWith("FLUSHED") && why.contains("the peer has said nothing"), why);
  }

  @Test
  @Slow("five seconds pass until the peer is given up, as in the quick test of the wait")
  void givesUpAPeerWhoseEndpointSaysNothing() throws Exception {
    assertNotNull(leave(rdmHello().toBytes()));
    String why = served.get(20, TimeUnit.SECONDS);
    assertTrue(why.contains("not made in time"), why);
  }

  @Test
  @Slow("five seconds pass until the peers are given up")
  void thoseWhoSayNothingDelayNobodyElse() throws Exception {
    ByteBuffer request = rdmHello().toBytes();
    CountDownLatch connected = new CountDownLatch(1);
    CountDownLatch accepted = new CountDownLatch(4);
    List<TcpSocket> silent = new ArrayList<>();
    Future<List<String>> all =
        thread.submit(() -> Bystander.serve(fabric, listener, SMALL, accepted));
    try (Fabric own = Fabric.open("libfabric-rdm");
        ExecutorService bystander = Executors.newSingleThreadExecutor()) {
      CountDownLatch enough = new CountDownLatch(1);
      Future<Long> longest =
          bystander.submit(
              () ->
                  Bystander.longestRoundTripNanos(
                      own, listener.address(), connected, () -> enough.getCount() == 0));
      assertTrue(connected.await(20, TimeUnit.SECONDS));
      for (int i = 0; i < 4; i++) {
        TcpSocket each = TcpSocket.connect(TcpAddress.parse(listener.address()), SECOND);
        silent.add(each);
        each.send(request.duplicate());
      }
      for (TcpSocket each : silent) {
        assertNotNull(each.receiveAll(RdmHello.BYTES, PATIENCE_NANOS));
      }
      for (TcpSocket each : silent) {
        assertNull(each.receiveAll(1, PATIENCE_NANOS)); // it is given up
      }
      enough.countDown();
      long nanos = longest.get(20, TimeUnit.SECONDS);
      assertTrue(nanos < SECOND, nanos + " ns");
    }
    for (String each : all.get(20, TimeUnit.SECONDS)) {
      assertTrue(each.startsWith("BROKEN") && each.contains("has said nothing"), each);
    }
    silent.forEach(TcpSocket::close);
  }
}
