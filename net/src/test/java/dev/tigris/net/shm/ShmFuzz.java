package dev.tigris.net.shm;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PageKind;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Listener;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.provider.Hello;
import dev.tigris.os.OpenFile;
import dev.tigris.os.SharedMemory;
import dev.tigris.os.SystemException;
import dev.tigris.os.UnixSocket;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;

/// A process that asks for a connection in shared memory, and what it then writes there.
public final class ShmFuzz {
  private static final int ROOM = 20_000;
  private static final byte CANARY = 0x5a;
  private static final Attributes ATTRIBUTES = Attributes.DEFAULT.withMaximumMessageBytes(60_000);
  private static final Bytes LENT = Jbuf.allocate(32_768, "fuzz", PageKind.SHARED).asBytes();
  private static final Bytes MEMORY = Jbuf.allocate(ROOM + 1, "fuzz").asBytes();

  private ShmFuzz() {}

  /// One input: a byte, whose lowest bits say whether the next 32 are what is asked with, and which
  /// size the memory has; and steps, of which each is a byte and what that needs. The end of the
  /// input ends them.
  public static void fuzzerTestOneInput(byte[] input) throws SystemException {
    ByteBuffer in = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
    if (new ShmProvider().obstacle().isPresent() || input.length < 1) {
      return;
    }
    ByteBuffer hello = Hello.request(7, ATTRIBUTES).toBytes();
    byte first = in.get();
    long size = (first & 2) == 0 ? Channel.SMALL_BYTES : Channel.LARGE_BYTES;
    if ((first & 1) != 0) {
      byte[] asked = new byte[Math.min(in.remaining(), Hello.BYTES)];
      in.get(asked);
      hello = ByteBuffer.wrap(asked);
    }
    try (Fabric fabric = Fabric.open("shm");
        Listener listener = fabric.listen("*");
        CompletionQueue queue = fabric.completionQueue();
        Arena arena = Arena.ofConfined();
        SharedMemory shared = SharedMemory.create("tigris-fuzz", size);
        UnixSocket socket = UnixSocket.connect(ShmAddress.socketName(listener.address()))) {
      MemorySegment channel = shared.map(arena);
      socket.send(hello, shared.file());
      ConnectionRequest request = listener.next(Duration.ZERO);
      if (request != null) {
        new Game(in, channel, shared, socket, queue, request.accept(queue, ATTRIBUTES)).play();
      }
    }
  }

  /// A connection, and what both sides do with it.
  private static final class Game {
    private final ByteBuffer in;
    private final MemorySegment channel;
    private final SharedMemory shared;
    private final UnixSocket socket;
    private final CompletionQueue queue;
    private final VirtualInterface victim;
    private final Ticket room;
    private final Ticket message;
    private int slots;
    private boolean inPlace;

    Game(
        ByteBuffer in,
        MemorySegment channel,
        SharedMemory shared,
        UnixSocket socket,
        CompletionQueue queue,
        VirtualInterface victim) {
      this.in = in;
      this.channel = channel;
      this.shared = shared;
      this.socket = socket;
      this.queue = queue;
      this.victim = victim;
      MEMORY.set(ROOM, CANARY);
      this.room = victim.register(MEMORY).range(0, ROOM);
      this.message = victim.register(MEMORY);
      receive();
    }

    void play() {
      try {
        while (victim.state() == InterfaceState.CONNECTED) {
          step(in.get());
        }
      } catch (BufferUnderflowException end) {
        look();
      }
      socket.close(); // so that the victim waits for nobody
      giveBack();
      victim.close();
      look();
      giveBack();
    }

    private void giveBack() {
      for (Ticket ticket : List.of(room, message)) {
        if (ticket.isRegistered() && ticket.status() != Status.POSTED) {
          victim.deregister(ticket);
        }
      }
    }

    private void step(byte what) {
      switch (what & 15) {
        case 0 -> {
          long at = (in.getInt() & Integer.MAX_VALUE) % channel.byteSize() & -Long.BYTES;
          channel.set(ValueLayout.JAVA_LONG, at, in.getLong());
        }
        case 1 -> slot(in.getShort(), in.getShort());
        case 2 -> slot(0, Ring.CONTINUED);
        case 3 -> freed(in.get());
        case 4 -> look();
        case 5 -> send(in.getShort() & 0xffff);
        case 6 -> socket.nudge();
        case 7 -> inPlace = !inPlace;
        case 8 -> lend(in.get(), in.getInt());
        case 9 -> lentSlot(in.getShort(), in.getShort(), in.getInt(), in.getLong());
        default -> channel.set(ValueLayout.JAVA_INT, in.get() & 0xf8, in.getInt());
      }
    }

    /// Writes the next slot that the victim reads, with the sequence that it must have.
    private void slot(int length, int kind) {
      MemorySegment slot = channel.asSlice(Bell.BYTES + Ring.slot(slots), Ring.SLOT_BYTES);
      slot.set(ValueLayout.JAVA_INT, 0, length);
      slot.set(ValueLayout.JAVA_INT, 8, kind);
      slot.set(ValueLayout.JAVA_INT, 12, Ring.sequence(slots));
      slots++;
    }

    /// Says something about a loan, perhaps with memory that can be one, or with the connection's.
    private void lend(int what, int number) {
      ByteBuffer packet = ByteBuffer.allocate(Loan.PACKET_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      packet.putInt(what & 0x3f).putInt(number).flip();
      OpenFile lent = new OpenFile(LENT.sharedFile().getAsInt()); // not to be closed
      try {
        socket.send(packet, what < 0 ? lent : (what & 0x40) != 0 ? shared.file() : null);
      } catch (SystemException noRoom) {
        // or the victim has closed
      }
    }

    /// Writes the next slot, of a message in a loan.
    private void lentSlot(int length, int type, int number, long offset) {
      MemorySegment slot = channel.asSlice(Bell.BYTES + Ring.slot(slots), Ring.SLOT_BYTES);
      slot.set(ValueLayout.JAVA_INT, Ring.LOAN, number);
      slot.set(ValueLayout.JAVA_LONG, Ring.LOAN_OFFSET, offset);
      slot(length & 0xffff, Ring.LENT | type << Byte.SIZE);
    }

    /// Gives slots of the ring that the victim writes back.
    private void freed(int count) {
      long at = Bell.BYTES + Ring.bytes(Channel.dataBytes(channel.byteSize())) + Ring.FREED;
      long before = channel.get(ValueLayout.JAVA_LONG, at);
      channel.set(ValueLayout.JAVA_LONG, at, before + count);
    }

    /// Has the victim move and take what it can.
    private void look() {
      for (Descriptor next = queue.poll(); next != null; next = queue.poll()) {
        if (next.transferredBytes() > ROOM || MEMORY.get(ROOM) != CANARY) {
          throw new AssertionError(next + " has gone beyond its memory");
        }
        if (next == room) {
          read();
          receive();
        }
      }
    }

    /// Reads a message where it lies, and its ends are all that can lie outside.
    private void read() {
      long bytes = room.transferredBytes();
      if (room.isInPlace() && bytes > 0) {
        MemorySegment message = room.memory().asSlice(room.memoryOffset(), bytes);
        byte _ = message.get(ValueLayout.JAVA_BYTE, 0);
        byte _ = message.get(ValueLayout.JAVA_BYTE, bytes - 1);
      }
    }

    private void receive() {
      if (victim.state() == InterfaceState.CONNECTED) {
        victim.postReceive(room.inPlace(inPlace)).orThrow();
      }
    }

    private void send(int bytes) {
      if (message.status() != Status.POSTED
          && bytes <= Math.min(ROOM, victim.maximumMessageBytes())) {
        victim.postSend(message.range(0, bytes)).orThrow();
      }
    }
  }
}
