package dev.tigris.os;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.process.OpenFiles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class UnixSocketTest {
  private final String name = "tigris-test/" + UUID.randomUUID();
  private UnixSocket listening;
  private UnixSocket left;
  private UnixSocket right;

  @BeforeEach
  void connect() throws SystemException {
    listening = UnixSocket.listen(name, 2);
    left = UnixSocket.connect(name);
    right = accept();
  }

  @AfterEach
  void close() {
    left.close();
    right.close();
    listening.close();
  }

  private UnixSocket accept() throws SystemException {
    UnixSocket accepted = listening.accept();
    assertNotNull(accepted);
    return accepted;
  }

  private static void send(UnixSocket from, int... bytes) throws SystemException {
    ByteBuffer packet = ByteBuffer.allocate(bytes.length);
    for (int each : bytes) {
      packet.put((byte) each);
    }
    from.send(packet.flip(), null);
  }

  private static void expect(UnixSocket at, int... bytes) {
    UnixSocket.Packet packet = at.receive();
    assertNotNull(packet);
    assertNull(packet.file());
    byte[] found = new byte[packet.bytes().remaining()];
    packet.bytes().get(found);
    byte[] expected = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      expected[i] = (byte) bytes[i];
    }
    assertArrayEquals(expected, found);
  }

  @Test
  void keepsTheBoundariesAndTheOrderOfPackets() throws SystemException {
    send(left, 1, 2, 3);
    send(left, 4);
    send(right, 5);
    expect(right, 1, 2, 3);
    expect(right, 4);
    assertNull(right.receive());
    expect(left, 5);
  }

  @Test
  void takesAnyPositionOfABuffer() throws SystemException {
    left.send(ByteBuffer.allocateDirect(8).put(2, (byte) 9).position(2).limit(4), null);
    expect(right, 9, 0);
  }

  @Test
  void handsOverAnOpenFile() throws SystemException {
    try (PollSet set = new PollSet();
        Signal signal = new Signal()) {
      left.send(ByteBuffer.allocate(1), signal.file());
      UnixSocket.Packet packet = right.receive();
      assertNotNull(packet);
      try (OpenFile received = packet.file()) {
        assertNotNull(received);
        assertTrue(received.number() != signal.file().number());
        signal.raise();
        set.add(received);
        set.look();
        assertTrue(set.isReady(0));
      }
    }
  }

  @Test
  void takesOneFileOfTwoAndLeavesNoneOpen() throws Exception {
    OpenFiles before = OpenFiles.now();
    sendTwoFiles(left);
    UnixSocket.Packet packet = right.receive();
    assertNotNull(packet);
    assertNotNull(packet.file());
    assertEquals(1, before.opened().size());
    packet.file().close();
    before.assertNoMore();
  }

  /// What the class itself does not do: two descriptors with one packet.
  private static void sendTwoFiles(UnixSocket from) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment control = arena.allocate(24, 8);
      control.set(ValueLayout.JAVA_LONG, 0, 24);
      control.set(ValueLayout.JAVA_INT, 8, 1);
      control.set(ValueLayout.JAVA_INT, 12, 1);
      control.set(ValueLayout.JAVA_INT, 16, from.file().number());
      control.set(ValueLayout.JAVA_INT, 20, from.file().number());
      MemorySegment vector = arena.allocate(16, 8);
      vector.set(ValueLayout.JAVA_LONG, 0, control.address());
      vector.set(ValueLayout.JAVA_LONG, 8, 4);
      MemorySegment header = arena.allocate(56, 8);
      header.set(ValueLayout.JAVA_LONG, 16, vector.address());
      header.set(ValueLayout.JAVA_LONG, 24, 1);
      header.set(ValueLayout.JAVA_LONG, 32, control.address());
      header.set(ValueLayout.JAVA_LONG, 40, 24);
      assertEquals(4, Calls.sendmsg(from.file().number(), header, 0));
    }
  }

  @Test
  void tellsNudgesFromPackets() throws Exception {
    OpenFiles before = OpenFiles.now();
    assertEquals(UnixSocket.Heard.NOTHING, right.hear());
    send(left, 1, 2, 3);
    try (Signal file = new Signal()) {
      left.send(ByteBuffer.allocate(8), file.file());
      left.send(ByteBuffer.allocate(1), file.file());
    }
    left.nudge();
    assertEquals(UnixSocket.Heard.PACKET, right.hear());
    assertEquals(3, right.heard().bytes().remaining());
    assertEquals(UnixSocket.Heard.PACKET, right.hear());
    right.heard().file().close();
    assertEquals(UnixSocket.Heard.NUDGE, right.hear());
    assertEquals(UnixSocket.Heard.NUDGE, right.hear());
    before.assertNoMore(); // that of the nudge, too
    left.close();
    assertEquals(UnixSocket.Heard.END, right.hear());
  }

  @Test
  void cutsALongPacketAndRefusesToSendOne() throws SystemException {
    assertThrows(IllegalArgumentException.class, () -> left.send(ByteBuffer.allocate(65), null));
    send(left, new int[64]);
    expect(right, new int[64]);
  }

  @Test
  void tellsTheEndOfTheOtherSideAfterItsLastPacket() throws SystemException {
    send(left, 1);
    left.close();
    expect(right, 1);
    expect(right);
    expect(right);
    SystemException refusal = assertThrows(SystemException.class, () -> send(right, 1));
    assertEquals(32, refusal.error());
    right.nudge();
  }

  @Test
  void saysSoWhenTheOtherSideTakesNothing() {
    SystemException refusal =
        assertThrows(
            SystemException.class,
            () -> {
              for (int i = 0; i < 1_000_000; i++) {
                send(left, 1);
              }
            });
    assertEquals(SystemException.AGAIN, refusal.error());
    left.nudge();
    expect(right, 1);
  }

  @Test
  void saysWhoIsAtTheOtherEnd() throws SystemException {
    UnixSocket.Peer here =
        new UnixSocket.Peer((int) ProcessHandle.current().pid(), UnixSocket.user());
    assertEquals(here, left.peer());
    assertEquals(here, right.peer());
  }

  @Test
  void refusesANameThatIsTaken() {
    SystemException refusal = assertThrows(SystemException.class, () -> UnixSocket.listen(name, 1));
    assertEquals(SystemException.ADDRESS_IN_USE, refusal.error());
  }

  @Test
  void leavesNothingOfANameBehind() throws SystemException {
    listening.close();
    SystemException refusal = assertThrows(SystemException.class, () -> UnixSocket.connect(name));
    assertEquals(SystemException.CONNECTION_REFUSED, refusal.error());
    listening = UnixSocket.listen(name, 1);
    UnixSocket.connect(name).close();
    accept().close();
  }

  @Test
  void refusesNamesThatAreEmptyOrTooLong() {
    assertThrows(IllegalArgumentException.class, () -> UnixSocket.connect(""));
    assertThrows(IllegalArgumentException.class, () -> UnixSocket.listen("n".repeat(108), 1));
    assertThrows(SystemException.class, () -> UnixSocket.connect("n".repeat(107)));
  }

  @Test
  void acceptsNobodyWhenNobodyIsThere() throws SystemException {
    assertNull(listening.accept());
  }

  @Test
  void refusesToConnectWhereTooManyWait() throws SystemException {
    for (int waiting = 0; ; waiting++) {
      assertFalse(waiting > 3);
      try {
        UnixSocket.connect(name);
      } catch (SystemException e) {
        assertEquals(SystemException.AGAIN, e.error());
        break;
      }
    }
  }
}
