package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ContainerTest {
  @Test
  void beginsEmpty() {
    Container container = Jbuf.allocate(1024).asContainer();
    assertEquals(Container.HEADER_BYTES, container.usedBytes());
    assertEquals(1024 - Container.HEADER_BYTES, container.remainingBytes());
    assertEquals(0, container.rootOffset());
  }

  @Test
  void handsOutZeroedRoomOneAfterTheOther() {
    Container container = Jbuf.allocate(1024).asContainer();
    assertEquals(64, container.allocate(12));
    assertEquals(80, container.allocate(8));
    assertEquals(88, container.usedBytes());
  }

  @Test
  void refusesWhenItIsFull() {
    Container container = Jbuf.allocate(100).asContainer();
    assertEquals(32, container.remainingBytes());
    ContainerFullException e =
        assertThrows(ContainerFullException.class, () -> container.allocate(33));
    assertTrue(e.getMessage().contains("64 of 100"), e.getMessage());
    container.allocate(32);
    assertThrows(ContainerFullException.class, () -> container.allocate(1));
    container.clear();
    assertEquals(64, container.allocate(1));
  }

  @Test
  void opensWhatWasWrittenElsewhere() {
    Bytes source = Jbuf.allocate(256).asBytes();
    Container written = source.asContainer();
    written.rootOffset(written.allocate(24));
    Bytes copy = Jbuf.allocate(256).asBytes();
    source.copyTo(0, copy, 0, written.usedBytes());
    Container opened = copy.asContainer();
    assertEquals(written.usedBytes(), opened.usedBytes());
    assertEquals(64, opened.rootOffset());
  }

  @Test
  void allocatesBehindWhatOthersThatHaveItOpenHaveAllocated() {
    Bytes bytes = Jbuf.allocate(256).asBytes();
    Container one = bytes.asContainer();
    Container other = bytes.asContainer();
    assertEquals(64, one.allocate(24));
    assertEquals(88, other.allocate(8));
    bytes.setLong(24, 128); // as a program in another language does
    assertEquals(128, one.usedBytes());
    assertEquals(128, one.allocate(8));
    assertEquals(136, other.usedBytes());
    other.clear();
    assertEquals(64, one.allocate(8));
  }

  @Test
  void refusesToAllocateWhereNoObjectCanBe() {
    Bytes bytes = Jbuf.allocate(256).asBytes();
    Container container = bytes.asContainer();
    for (long used : new long[] {0, 56, 60, 65, 264, -8, Long.MIN_VALUE, Long.MAX_VALUE & -8}) {
      bytes.setLong(24, used);
      CorruptContainerException e =
          assertThrows(CorruptContainerException.class, () -> container.allocate(8));
      assertTrue(e.getMessage().contains(used + " of its 256"), e.getMessage());
      assertThrows(CorruptContainerException.class, container::remainingBytes);
      assertEquals("Container[256 bytes, %d used]".formatted(used), container.toString());
    }
    container.clear();
    assertEquals(64, container.allocate(8));
  }

  @Test
  void nestsInABiggerBufferAtAMultipleOfEight() {
    Bytes bytes = Jbuf.allocate(256).asBytes();
    Container nested = bytes.slice(128, 128).asContainer();
    nested.allocate(64);
    assertThrows(ContainerFullException.class, () -> nested.allocate(1));
    assertThrows(IllegalArgumentException.class, () -> bytes.slice(4, 128).asContainer());
    assertThrows(IllegalArgumentException.class, () -> bytes.slice(8, 63).asContainer());
  }

  /// Bytes from elsewhere are opened or refused, and never reach beyond the buffer.
  @Property(tries = 500)
  void opensOrRefusesAnyBytes(@ForAll @Size(64) byte[] header, @ForAll boolean plausible) {
    Bytes bytes = Jbuf.allocate(128).asBytes();
    bytes.copyFrom(0, header, 0, header.length);
    if (plausible) {
      bytes.setLong(0, 0x3143_5349_5247_4954L);
      bytes.setInt(8, 1);
    }
    Container container;
    try {
      container = bytes.asContainer();
    } catch (CorruptContainerException e) {
      return;
    }
    assertTrue(container.usedBytes() >= Container.HEADER_BYTES);
    assertTrue(container.usedBytes() + container.remainingBytes() <= 128);
  }
}
