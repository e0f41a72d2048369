package dev.tigris.net.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PageKind;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Listener;
import dev.tigris.net.NetException;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.provider.Hello;
import dev.tigris.os.MemoryFile;
import dev.tigris.os.OpenFile;
import dev.tigris.os.SharedMemory;
import dev.tigris.os.Signal;
import dev.tigris.os.SystemException;
import dev.tigris.os.UnixSocket;
import dev.tigris.testing.process.OpenFiles;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// A process that lends memory, or what it says is memory: what each kind of it leads to. None
/// leaves a file open or memory mapped.
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HostileLoanTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int LENT = 0x104;
  private static final int PAGE = 4096;

  private final Jbuf jbuf = Jbuf.allocate(4 * PAGE, "test", PageKind.SHARED);
  private final Bytes lent = jbuf.asBytes();
  private final OpenFile lentFile = new OpenFile(lent.sharedFile().getAsInt()); // not to be closed

  private Fabric fabric;
  private CompletionQueue queue;
  private Listener listener;
  private Arena arena;
  private UnixSocket socket;
  private MemorySegment channel;
  private VirtualInterface victim;
  private Bytes arrived;
  private Ticket memory;
  private OpenFiles openFiles;
  private Set<String> mappings;

  @BeforeEach
  void connect() throws Exception {
    for (int i = 0; i < 4 * PAGE; i++) {
      lent.set(i, (byte) (i * 11));
    }
    fabric = Fabric.open("shm");
    queue = fabric.completionQueue();
    listener = fabric.listen("*");
    openFiles = OpenFiles.now();
    mappings = mappings();
    arena = Arena.ofConfined();
    socket = UnixSocket.connect(ShmAddress.socketName(listener.address()));
    try (SharedMemory shared = SharedMemory.create("tigris-test", Channel.SMALL_BYTES)) {
      channel = shared.map(arena);
      ByteBuffer request =
          ByteBuffer.allocate(Hello.BYTES)
              .order(ByteOrder.LITTLE_ENDIAN)
              .put("TIGRISVI".getBytes(StandardCharsets.US_ASCII))
              .putInt(Hello.VERSION)
              .putInt(0)
              .putLong(7)
              .putLong(1000)
              .flip();
      socket.send(request, shared.file());
    }
    victim = listener.next(PATIENCE).accept(queue, Attributes.DEFAULT);
    arrived = Jbuf.allocate(4 * PAGE, "test").asBytes();
    memory = victim.register(arrived);
    victim.postReceive(memory).orThrow();
  }

  @AfterEach
  void closeAndCount() throws IOException {
    victim.close();
    while (queue.poll() != null) {
      // flushed
    }
    socket.close();
    arena.close();
    openFiles.assertNoMore();
    assertNoMoreMappings();
    queue.close();
    listener.close();
    fabric.close();
  }

  private static Set<String> mappings() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.contains("tigris-"))
        .collect(Collectors.toSet());
  }

  /// Those of earlier tests may be gone, by the collector.
  private void assertNoMoreMappings() throws IOException {
    Set<String> more = mappings();
    more.removeAll(mappings);
    assertEquals(Set.of(), more, "mappings stay");
  }

  private void say(int what, int number, @Nullable OpenFile file) throws SystemException {
    socket.send(new Loan(number).packet(what), file);
  }

  /// Writes a slot to the ring that the victim reads.
  private void slot(int use, int length, long loan, long offset) {
    MemorySegment slot = channel.asSlice(Bell.BYTES + Ring.slot(use), Ring.SLOT_BYTES);
    slot.set(ValueLayout.JAVA_INT, 0, length);
    slot.set(ValueLayout.JAVA_LONG, Ring.LOAN, loan);
    slot.set(ValueLayout.JAVA_LONG, Ring.LOAN_OFFSET, offset);
    slot.set(ValueLayout.JAVA_INT, 8, LENT);
    slot.set(ValueLayout.JAVA_INT, 12, use + 1);
  }

  private void expectReceived(int length, int offset) {
    Descriptor next = queue.await(PATIENCE.toNanos());
    assertEquals(memory, next);
    assertEquals(Status.DONE, next.status());
    assertEquals(length, next.transferredBytes());
    for (int i = 0; i < length; i++) {
      assertEquals((byte) ((offset + i) * 11), arrived.get(i));
    }
  }

  private void expectBroken(String reason) {
    long start = System.nanoTime();
    while (victim.state() == InterfaceState.CONNECTED) {
      Descriptor next = queue.await(1_000_000);
      assertTrue(next == null || next.status() == Status.FLUSHED, "a message was taken");
      assertTrue(System.nanoTime() - start < PATIENCE.toNanos(), "it stays connected");
    }
    NetException failure = victim.failure();
    assertNotNull(failure);
    assertTrue(failure.getMessage().contains(reason), failure.getMessage());
  }

  @Test
  void readsAMessageWhereItLies() throws SystemException {
    say(Loan.LENT, 5, lentFile);
    slot(0, 3 * PAGE, 5, 100);
    expectReceived(3 * PAGE, 100);
    assertEquals(1, channel.get(ValueLayout.JAVA_LONG, Bell.BYTES + Ring.FREED));
    victim.postReceive(memory).orThrow();
    slot(1, 0, 5, 4 * PAGE);
    expectReceived(0, 0);
    say(Loan.TAKEN_BACK, 5, null);
    say(Loan.LENT, 5 + Loan.MOST, lentFile);
    victim.postReceive(memory).orThrow();
    slot(2, 10, 5 + Loan.MOST, 4 * PAGE - 10);
    expectReceived(10, 4 * PAGE - 10);
  }

  @Test
  void breaksOnAMessageInALoanThatThereIsNot() throws SystemException {
    say(Loan.LENT, 5, lentFile);
    slot(0, 1, 5 + Loan.MOST, 0);
    expectBroken("in loan 69, which there is not");
  }

  @Test
  void breaksOnAMessageThatBeginsBeforeItsLoan() throws SystemException {
    say(Loan.LENT, 0, lentFile);
    slot(0, 1, 0, -1);
    expectBroken("a message of 1 bytes at -1");
  }

  @Test
  void breaksOnAMessageThatEndsBehindItsLoan() throws SystemException {
    say(Loan.LENT, 0, lentFile);
    slot(0, 2, 0, 4 * PAGE - 1);
    expectBroken("a message of 2 bytes at 16383 of a loan of 16384");
  }

  @Test
  void breaksOnAMessageAtAnOffsetThatOverflows() throws SystemException {
    say(Loan.LENT, 0, lentFile);
    slot(0, 4 * PAGE, 0, Long.MAX_VALUE - 1);
    expectBroken("at 9223372036854775806");
  }

  @Test
  void breaksOnANegativeLength() throws SystemException {
    say(Loan.LENT, 0, lentFile);
    slot(0, -1, 0, 10);
    expectBroken("-1 bytes");
  }

  @Test
  void breaksOnMemoryThatOthersCanWriteTo() throws SystemException {
    try (SharedMemory writable = SharedMemory.create("tigris-test", 4 * PAGE)) {
      say(Loan.LENT, 0, writable.file());
      expectBroken("seals 0x6");
    }
  }

  @Test
  void breaksOnSomethingThatIsNoMemory() throws SystemException {
    try (Signal signal = new Signal()) {
      say(Loan.LENT, 0, signal.file());
      expectBroken("read the seals");
    }
  }

  @Test
  void breaksOnALoanOfNothing() throws SystemException {
    say(Loan.LENT, 0, null);
    expectBroken("a loan without memory");
  }

  @Test
  void breaksOnMoreMemoryThanMayBeLent() throws Exception {
    try (OpenFile large = new OpenFile(MemoryFile.create("tigris-test", 0));
        FileChannel file =
            FileChannel.open(
                Path.of("/proc/self/fd/" + large.number()), StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.allocate(1), Loan.MOST_BYTES); // sparse
      MemoryFile.sealForReaders(large.number());
      say(Loan.LENT, 0, large);
      expectBroken("1073741825 bytes");
    }
  }

  @Test
  void breaksOnMoreLoansThanThereMayBe() throws SystemException {
    for (int number = 0; number <= Loan.MOST; number++) {
      say(Loan.LENT, number, lentFile);
    }
    expectBroken("loan 64 while there is loan 0");
  }

  @Test
  void breaksWhenALoanIsTakenBackThatThereIsNot() throws SystemException {
    say(Loan.LENT, 1, lentFile);
    say(Loan.TAKEN_BACK, 1 + Loan.MOST, null);
    expectBroken("loan 65 is taken back, and there is none");
  }

  @Test
  void breaksWhenALoanIsTakenBackWithAMessageInIt() throws SystemException {
    say(Loan.LENT, 0, lentFile);
    slot(0, 10, 0, 0);
    expectReceived(10, 0);
    slot(1, 10, 0, 0); // finds no receive
    assertNull(queue.poll());
    say(Loan.TAKEN_BACK, 0, null);
    assertNull(queue.await(50_000_000));
    victim.postReceive(memory).orThrow();
    expectBroken("taken back with a message in it");
  }

  @Test
  void breaksWhenALoanIsTakenBackThatIsReadInPlace() throws SystemException {
    leaveInPlace();
    say(Loan.TAKEN_BACK, 0, null);
    expectBroken("taken back with a message in it");
    expectInPlace();
    channel.set(ValueLayout.JAVA_LONG, Bell.BYTES + Ring.WITHDRAWN, 1);
    assertFalse(memory.giveBack());
    assertFalse(memory.giveBack(), "what was read there is no better than before");
  }

  /// The memory outlives the connection, until it is given back.
  @Test
  void keepsWhatIsReadInPlaceWhenThePeerIsGone() throws SystemException {
    leaveInPlace();
    socket.close();
    expectBroken("it is gone");
    expectInPlace();
    MemorySegment place = memory.memory();
    assertTrue(memory.giveBack());
    assertFalse(place.scope().isAlive());
  }

  private void leaveInPlace() throws SystemException {
    say(Loan.LENT, 0, lentFile);
    slot(0, 0, 0, 0);
    expectReceived(0, 0);
    victim.postReceive(memory.inPlace(true)).orThrow();
    slot(1, PAGE, 0, 7);
    assertEquals(memory, queue.await(PATIENCE.toNanos()));
    expectInPlace();
  }

  private void expectInPlace() {
    assertTrue(memory.isInPlace());
    for (int i = 0; i < PAGE; i++) {
      long at = memory.memoryOffset() + i;
      assertEquals((byte) ((7 + i) * 11), memory.memory().get(ValueLayout.JAVA_BYTE, at));
    }
  }

  @Test
  void deliversNothingThatMayHaveBeenChangedMeanwhile() throws SystemException {
    say(Loan.LENT, 0, lentFile);
    channel.set(ValueLayout.JAVA_LONG, Bell.BYTES + Ring.WITHDRAWN, 1);
    slot(0, PAGE, 0, 0);
    expectBroken("while a message of it was copied");
    assertEquals(Status.FLUSHED, memory.status());
  }
}
