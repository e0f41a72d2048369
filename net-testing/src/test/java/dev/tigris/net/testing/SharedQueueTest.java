package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.NetException;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// One queue over several fabrics, which another thread may have for a while, and sockets that were
/// connected before.
@Timeout(60)
class SharedQueueTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final ExecutorService other = Executors.newSingleThreadExecutor();

  @AfterEach
  void endTheOtherThread() {
    other.shutdown();
  }

  /// Lets the other thread connect, send one message, and close everything.
  private Future<String> sendTo(Fabric fabric, String address) {
    return other.submit(
        () -> {
          try (CompletionQueue queue = fabric.completionQueue()) {
            VirtualInterface link =
                fabric.connect(address, 1, queue, Attributes.DEFAULT, PATIENCE).get();
            Ticket message = link.register(Jbuf.allocate(64, "test").asBytes());
            link.postSend(message).orThrow();
            assertSame(message, queue.await(PATIENCE));
            link.close();
          }
          return "sent";
        });
  }

  private static Ticket receive(Listener listener, CompletionQueue queue) {
    VirtualInterface link =
        assertNotNullAnd(listener.next(PATIENCE)).accept(queue, Attributes.DEFAULT);
    Ticket memory = link.register(Jbuf.allocate(64, "test").asBytes());
    link.postReceive(memory).orThrow();
    link.ring();
    return memory;
  }

  private static <T> T assertNotNullAnd(T value) {
    assertNotNull(value);
    return value;
  }

  @Test
  void oneWaitIsForMessagesOfEachFabric() throws Exception {
    try (Fabric tcp = Fabric.open("tcp");
        Fabric shm = Fabric.open("shm");
        CompletionQueue queue = tcp.completionQueue(0)) {
      shm.attach(queue);
      assertThrows(IllegalArgumentException.class, () -> shm.attach(queue));
      for (Fabric each : List.of(tcp, shm, tcp)) {
        try (Listener listener = each.listen(each == tcp ? "127.0.0.1:0" : "*")) {
          var sent = sendTo(each, listener.address());
          Ticket memory = receive(listener, queue);
          memory.attach(each);
          Descriptor next = assertNotNullAnd(queue.await(PATIENCE));
          assertSame(each, next.attachment());
          assertEquals(Status.DONE, next.status());
          assertEquals("sent", sent.get());
          next.virtualInterface().close();
        }
      }
    }
  }

  @Test
  void aWakeEndsOneWaitOfAllPorts() {
    try (Fabric tcp = Fabric.open("tcp");
        Fabric shm = Fabric.open("shm");
        CompletionQueue queue = tcp.completionQueue(0)) {
      shm.attach(queue);
      queue.wake();
      assertNull(queue.await(PATIENCE));
      assertNull(queue.await(Duration.ofMillis(20)), "it waits until the time is over");
    }
  }

  /// A wake that ends the waits of the other ports ends none of the next wait.
  @Test
  void waitsOnceWhereNothingComes() {
    try (Fabric tcp = Fabric.open("tcp");
        Fabric shm = Fabric.open("shm");
        CompletionQueue queue = tcp.completionQueue(0)) {
      shm.attach(queue);
      queue.wake();
      assertNull(queue.await(PATIENCE));
      for (int i = 0; i < 3; i++) {
        long threads = startedThreads();
        assertNull(queue.await(Duration.ofMillis(100)));
        long started = startedThreads() - threads;
        assertTrue(started <= 5, () -> started + " threads for one wait");
      }
    }
  }

  @Test
  void refusesAFabricThatItDoesNotServe() {
    try (Fabric tcp = Fabric.open("tcp");
        Fabric shm = Fabric.open("shm");
        CompletionQueue queue = tcp.completionQueue()) {
      var refusal =
          assertThrows(
              IllegalArgumentException.class,
              () -> shm.connect("shm:none", 1, queue, Attributes.DEFAULT, PATIENCE).get());
      assertTrue(refusal.getMessage().contains("attach it"), refusal.getMessage());
    }
  }

  @Test
  void anotherThreadMovesMessagesOfAQueueThatWasReleased() throws Exception {
    try (Fabric tcp = Fabric.open("tcp");
        Listener listener = tcp.listen("127.0.0.1:0");
        CompletionQueue queue = tcp.completionQueue()) {
      var sent = sendTo(tcp, listener.address());
      Ticket memory = receive(listener, queue);
      queue.release();
      assertThrows(WrongThreadException.class, queue::poll);
      Thread helper =
          Thread.ofPlatform()
              .start(
                  () -> {
                    assertTrue(queue.claim());
                    while (memory.status() == Status.POSTED) {
                      boolean _ = queue.isMoving();
                      if (queue.await(Duration.ofMillis(1)) != null) {
                        break;
                      }
                    }
                    queue.release();
                  });
      helper.join();
      assertTrue(queue.claim());
      assertTrue(queue.claim(), "it has it already");
      assertEquals(Status.DONE, memory.status());
      assertEquals("sent", sent.get());
    }
  }

  @Test
  void aRingOfTheKernelStaysWithItsThread() {
    assumeTrue(UringTest.isAllowed());
    try (Fabric uring = Fabric.open("uring");
        CompletionQueue queue = uring.completionQueue()) {
      assertThrows(UnsupportedOperationException.class, queue::release);
      assertNull(queue.poll());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "uring"})
  void messagesFollowWhatASocketWasUsedForBefore(String provider) throws Exception {
    assumeTrue(!provider.equals("uring") || UringTest.isAllowed(), "io_uring is not allowed here");
    OpenFiles before = OpenFiles.now();
    try (Fabric fabric = Fabric.open(provider);
        ServerSocketChannel server =
            ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        CompletionQueue queue = fabric.completionQueue()) {
      SocketChannel here = SocketChannel.open(server.getLocalAddress());
      SocketChannel there = server.accept();
      here.configureBlocking(false); // as it may be, and the other not
      Future<String> sent =
          other.submit(
              () -> {
                try (CompletionQueue its = fabric.completionQueue()) {
                  VirtualInterface link =
                      fabric.adopt(there, 7, its, Attributes.DEFAULT, PATIENCE).get();
                  Ticket message = link.register(Jbuf.allocate(64, "test").asBytes());
                  link.postSend(message).orThrow();
                  assertSame(message, its.await(PATIENCE));
                }
                return "sent";
              });
      VirtualInterface link = fabric.adopt(here, 7, queue, Attributes.DEFAULT, PATIENCE).get();
      Ticket memory = link.register(Jbuf.allocate(64, "test").asBytes());
      link.postReceive(memory).orThrow();
      assertSame(memory, queue.await(PATIENCE));
      assertEquals(64, memory.transferredBytes());
      link.close();
      assertEquals("sent", sent.get());
    }
    if (provider.equals("uring")) { // the JDK keeps a socket of its own, from the first close on
      before.assertNoMore();
    }
  }

  @Test
  void takesNoDescriptorFromAChannelThatASelectorHas() throws Exception {
    assumeTrue(UringTest.isAllowed(), "io_uring is not allowed here");
    try (Fabric uring = Fabric.open("uring");
        ServerSocketChannel server =
            ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Selector selector = Selector.open();
        CompletionQueue queue = uring.completionQueue()) {
      SocketChannel here = SocketChannel.open(server.getLocalAddress());
      here.configureBlocking(false);
      here.register(selector, SelectionKey.OP_READ);
      NetException refusal =
          assertThrows(
              NetException.class, () -> uring.adopt(here, 7, queue, Attributes.DEFAULT, PATIENCE));
      assertTrue(refusal.getMessage().contains("cancel its key"), refusal.getMessage());
      assertFalse(here.isOpen());
    }
  }

  /// Ports that name files are waited for together, and no thread is started for that.
  @Test
  void oneWaitWithoutAnotherThreadIsForAllPortsThatNameFiles() throws Exception {
    assumeTrue(UringTest.isAllowed(), "io_uring is not allowed here");
    try (Fabric uring = Fabric.open("uring");
        Fabric shm = Fabric.open("shm");
        CompletionQueue queue = uring.completionQueue(0)) {
      shm.attach(queue);
      for (Fabric each : List.of(uring, shm, uring)) {
        try (Listener listener = each.listen(each == uring ? "127.0.0.1:0" : "*")) {
          var sent = sendTo(each, listener.address());
          Ticket memory = receive(listener, queue);
          assertSame(memory, queue.await(PATIENCE));
          assertEquals("sent", sent.get());
          memory.virtualInterface().close();
        }
      }
      long threads = startedThreads();
      for (int i = 0; i < 5; i++) {
        assertNull(queue.await(Duration.ofMillis(5)));
      }
      queue.wake();
      assertNull(queue.await(PATIENCE));
      assertEquals(threads, startedThreads());
    }
  }

  private static long startedThreads() {
    return ManagementFactory.getThreadMXBean().getTotalStartedThreadCount();
  }

  @Test
  void closesASocketThatItCannotAdopt(@TempDir Path folder) throws Exception {
    var address = UnixDomainSocketAddress.of(folder.resolve("socket"));
    try (Fabric tcp = Fabric.open("tcp");
        Fabric shm = Fabric.open("shm");
        CompletionQueue queue = tcp.completionQueue();
        CompletionQueue other = shm.completionQueue();
        ServerSocketChannel server =
            ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address)) {
      SocketChannel unix = SocketChannel.open(server.getLocalAddress());
      var refusal =
          assertThrows(
              IllegalArgumentException.class,
              () -> tcp.adopt(unix, 7, queue, Attributes.DEFAULT, PATIENCE));
      assertTrue(refusal.getMessage().contains("no connection of TCP"), refusal.getMessage());
      assertFalse(unix.isOpen());
      try (ServerSocketChannel internet =
          ServerSocketChannel.open()
              .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
        SocketChannel here = SocketChannel.open(internet.getLocalAddress());
        assertThrows(
            UnsupportedOperationException.class,
            () -> shm.adopt(here, 7, other, Attributes.DEFAULT, PATIENCE));
        assertFalse(here.isOpen());
        SocketChannel ofAnother = SocketChannel.open(internet.getLocalAddress());
        assertThrows(
            IllegalArgumentException.class,
            () -> tcp.adopt(ofAnother, 7, other, Attributes.DEFAULT, PATIENCE));
        assertFalse(ofAnother.isOpen());
      }
    }
  }

  @Test
  void closesASocketWhosePeerDoesNotSpeakTheProtocol() throws Exception {
    try (Fabric tcp = Fabric.open("tcp");
        ServerSocketChannel server =
            ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        CompletionQueue queue = tcp.completionQueue()) {
      SocketChannel here = SocketChannel.open(server.getLocalAddress());
      try (SocketChannel there = server.accept()) {
        there.write(java.nio.ByteBuffer.wrap(new byte[64]));
        Connection result = tcp.adopt(here, 7, queue, Attributes.DEFAULT, PATIENCE);
        assertEquals(Connection.Reason.INCOMPATIBLE, ((Connection.Refused) result).reason());
        assertFalse(here.isOpen());
      }
    }
  }
}
