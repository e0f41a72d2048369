// Over 400 lines: the one thread that reads, and what readers and it know of each other.
package dev.tigris.flow.mirror;

import dev.tigris.flow.mirror.Declustering.Block;
import dev.tigris.flow.mirror.Declustering.Outcome;
import dev.tigris.flow.mirror.Declustering.Read;
import dev.tigris.memory.Jbuf;
import dev.tigris.os.disk.DiskException;
import dev.tigris.os.disk.DiskFile;
import dev.tigris.os.disk.DiskOperation;
import dev.tigris.os.disk.DiskQueue;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Reads the blocks of a data set for all of its readers in this process: one thread has the files
/// of all disks in one queue, and asks [Declustering] what to read next.
///
/// ```
///   reader threads                         the engine's thread
///   want(segment, block, progress) ------> which disk reads it; starts the read
///   await <-------- the block's buffer --- checks its sum
///   release -------> the buffer is free
/// ```
///
/// Conservation: `buffers made = free + being read into + at readers`. There are as many as blocks
/// are wanted at a time, and a few for those that are read a second time.
///
/// Thread rule: any thread.
final class MirrorEngine implements AutoCloseable {
  /// How many reads each disk has under way: one that it does, and one that comes next.
  private static final int DEPTH = 2;

  private static final int ALIGNMENT = 4096;
  private static final int MOST_PROBLEMS = 1000;

  /// A reader.
  static final class Client {
    private final Declustering.Reader reader;
    private final Condition delivered;

    private Client(Declustering.Reader reader, Condition delivered) {
      this.reader = reader;
      this.delivered = delivered;
    }
  }

  /// A block that was asked for.
  static final class Ticket {
    private final Client client;
    private final int segment;
    private final long block;
    private final int bytes;
    private @Nullable MemorySegment buffer;
    private @Nullable IOException failure;
    private @Nullable IOException problem;
    private boolean isReleased;

    private Ticket(Client client, int segment, long block, int bytes) {
      this.client = client;
      this.segment = segment;
      this.block = block;
      this.bytes = bytes;
    }

    private boolean isDone() {
      return buffer != null || failure != null;
    }
  }

  /// A read under way, and its memory.
  private record Active(Read read, Ticket ticket, MemorySegment buffer) {}

  private final Mirror mirror;
  private final Manifest manifest;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Thread thread =
      Thread.ofPlatform().daemon().name("tigris-mirror").unstarted(this::run);

  // Under the lock.
  private final Declustering policy;
  private final IdentityHashMap<Block, Ticket> tickets = new IdentityHashMap<>();
  private final Deque<MemorySegment> free = new ArrayDeque<>();
  private final List<Jbuf> buffers = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private @Nullable DiskQueue queue;
  private @Nullable Throwable fatal;
  private boolean isReady;
  private boolean closing;

  /// Of the engine's thread: the operations under way.
  private final List<DiskOperation> active = new ArrayList<>();

  /// Opens what the disks have.
  ///
  /// @throws MirrorException if the checksums of a segment cannot be read from any disk
  MirrorEngine(Mirror mirror) throws IOException {
    this.mirror = mirror;
    this.manifest = mirror.manifest();
    this.policy = new Declustering(manifest.disks().size(), DEPTH);
    this.problems.addAll(mirror.problems());
    thread.start();
    lock.lock();
    try {
      while (!isReady && fatal == null) {
        changed.awaitUninterruptibly();
      }
      if (fatal instanceof IOException e) {
        throw e;
      }
      requireAlive();
    } finally {
      lock.unlock();
    }
  }

  private void requireAlive() {
    if (fatal != null || closing) {
      throw new IllegalStateException("the reading of %s has ended".formatted(mirror), fatal);
    }
  }

  Client addClient() {
    lock.lock();
    try {
      return new Client(policy.addReader(), lock.newCondition());
    } finally {
      lock.unlock();
    }
  }

  /// Ends a reader: nothing that it has asked for comes any more. It releases what it has.
  void end(Client client) {
    lock.lock();
    try {
      policy.end(client.reader);
      tickets.values().removeIf(ticket -> ticket.client == client);
    } finally {
      lock.unlock();
    }
  }

  /// Asks for a block.
  ///
  /// @param progress of the client, to be compared with that of others
  Ticket want(Client client, int segment, long block, double progress) {
    var ticket = new Ticket(client, segment, block, manifest.bytesOf(segment, block));
    int[] copies = mirror.copies(segment, block);
    lock.lock();
    try {
      requireAlive();
      tickets.put(policy.want(client.reader, block, copies, progress), ticket);
      settleLost();
      if (queue != null) {
        queue.wake();
      }
    } finally {
      lock.unlock();
    }
    return ticket;
  }

  /// Waits for a block, and returns its bytes, which are the caller's until it releases them.
  ///
  /// @throws MirrorException if no copy of it is left
  MemorySegment await(Ticket ticket) throws IOException, InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!ticket.isDone()) {
        requireAlive();
        ticket.client.delivered.await();
      }
      if (ticket.failure != null) {
        throw new MirrorException(String.valueOf(ticket.failure.getMessage()), ticket.failure);
      }
      return Objects.requireNonNull(ticket.buffer).asSlice(0, ticket.bytes);
    } finally {
      lock.unlock();
    }
  }

  /// Returns whether [#await] would not wait.
  boolean isDone(Ticket ticket) {
    lock.lock();
    try {
      return ticket.isDone();
    } finally {
      lock.unlock();
    }
  }

  /// Gives a block back.
  void release(Ticket ticket) {
    lock.lock();
    try {
      MemorySegment buffer = ticket.buffer;
      if (buffer != null && !ticket.isReleased) {
        ticket.isReleased = true;
        free.add(buffer);
      }
    } finally {
      lock.unlock();
    }
  }

  /// Returns what was found wrong so far, in words for people.
  List<String> problems() {
    lock.lock();
    try {
      return List.copyOf(problems);
    } finally {
      lock.unlock();
    }
  }

  /// Returns what was done so far.
  Mirror.Reads reads() {
    lock.lock();
    try {
      var slowness = new ArrayList<Double>();
      for (int disk = 0; disk < manifest.disks().size(); disk++) {
        slowness.add(policy.isLost(disk) ? Double.POSITIVE_INFINITY : policy.slowness(disk));
      }
      return new Mirror.Reads(policy.reads(), policy.secondReads(), slowness, problems);
    } finally {
      lock.unlock();
    }
  }

  // ---- the engine's thread

  private void run() {
    int depth = Math.clamp(manifest.disks().size() * (long) DEPTH, 2, DiskQueue.MOST_DEPTH);
    try (DiskQueue opened = DiskQueue.open(depth)) {
      var files = new MirrorFiles(mirror, opened);
      prepare(opened, files);
      serve(opened, files);
    } catch (Throwable e) {
      lock.lock();
      try {
        fatal = e;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    } finally {
      end();
    }
  }

  /// Gives up the disks that have nothing, and lets readers begin.
  private void prepare(DiskQueue opened, MirrorFiles files) throws MirrorException {
    lock.lock();
    try {
      problems.addAll(files.problems());
      for (int disk = 0; disk < manifest.disks().size(); disk++) {
        if (!files.has(disk)) {
          policy.lose(disk);
        }
      }
      for (int segment = 0; segment < manifest.segments().size(); segment++) {
        if (files.sums(segment) == null) {
          throw new MirrorException(
              "segment %d of %s has no copy whose checksums can be read: %s"
                  .formatted(segment, mirror, String.join("; ", problems)));
        }
      }
      queue = opened;
      isReady = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      closing = true;
      queue = null;
      free.clear();
      buffers.forEach(buffer -> buffer.unreference(Jbuf::free));
      buffers.clear();
      tickets.values().forEach(ticket -> ticket.client.delivered.signalAll());
    } finally {
      lock.unlock();
    }
  }

  private void serve(DiskQueue opened, MirrorFiles files) {
    long nextLook = System.nanoTime();
    while (true) {
      lock.lock();
      try {
        if (closing) {
          break;
        }
        long now = System.nanoTime();
        if (now - nextLook >= 0) {
          nextLook = policy.look(now);
        }
        beginAll(opened, files, now);
      } finally {
        lock.unlock();
      }
      boolean any = false;
      for (DiskOperation done = opened.takeNow(); done != null; done = opened.takeNow()) {
        any = true;
        ended(done, files);
      }
      if (!any) {
        park(opened, nextLook);
      }
    }
    active.forEach(opened::cancel); // the queue waits for the rest as it closes
  }

  /// Waits for a read to end, for a reader, or until it is time to look.
  private static void park(DiskQueue opened, long nextLook) {
    if (opened.arm(opened)) {
      long nanos = nextLook - System.nanoTime();
      if (nanos > 0) {
        opened.park(nanos);
      }
    }
    opened.disarm();
  }

  private void beginAll(DiskQueue opened, MirrorFiles files, long now) {
    for (int disk = 0; disk < manifest.disks().size(); disk++) {
      boolean isFull = false;
      while (!isFull && opened.room() > 0) {
        Read read = policy.next(disk, now);
        isFull = read == null;
        if (read != null) {
          begin(opened, files, read, now);
        }
      }
    }
    for (int i = active.size() - 1; i >= 0; i--) {
      if (active.get(i).keeper() instanceof Active late && late.read.isNeedless()) {
        opened.cancel(active.remove(i));
      }
    }
  }

  private void begin(DiskQueue opened, MirrorFiles files, Read read, long now) {
    Ticket ticket = tickets.get(read.block());
    DiskFile file = ticket == null ? null : files.file(ticket.segment, read.disk());
    if (ticket == null || file == null) {
      settle(read, ticket, Outcome.FAILED, null, now);
      return;
    }
    MemorySegment buffer = takeBuffer();
    var operation = new DiskOperation();
    long position = ticket.block * manifest.blockBytes();
    opened.start(
        operation
            .toRead(file, position, buffer.asSlice(0, ticket.bytes))
            .at(read.block().reader().progress())
            .keeping(new Active(read, ticket, buffer)));
    active.add(operation);
  }

  private MemorySegment takeBuffer() {
    MemorySegment buffer = free.poll();
    if (buffer == null) {
      Jbuf made = Jbuf.allocate((long) manifest.blockBytes() + ALIGNMENT, "mirror");
      buffers.add(made);
      MemorySegment all = made.asBytes().segment();
      buffer = all.asSlice(-all.address() & (ALIGNMENT - 1), manifest.blockBytes());
    }
    return buffer;
  }

  private void ended(DiskOperation operation, MirrorFiles files) {
    if (!(operation.keeper() instanceof Active done)) {
      throw new IllegalStateException("an operation of no reader");
    }
    active.remove(operation);
    IOException problem = problem(operation, done, files);
    DiskException failure = operation.failure();
    boolean isCancelled = failure != null && failure.isCancelled();
    Outcome outcome =
        problem == null ? Outcome.READ : isCancelled ? Outcome.CANCELLED : Outcome.FAILED;
    lock.lock();
    try {
      if (outcome == Outcome.FAILED) {
        done.ticket.problem = problem;
        if (problems.size() < MOST_PROBLEMS) {
          problems.add(String.valueOf(Objects.requireNonNull(problem).getMessage()));
        }
      }
      settle(done.read, done.ticket, outcome, done.buffer, System.nanoTime());
    } finally {
      lock.unlock();
    }
  }

  /// Returns what is wrong with a block that was read; null if nothing is.
  private @Nullable IOException problem(DiskOperation operation, Active done, MirrorFiles files) {
    IOException failure = operation.failure();
    if (failure != null) {
      return failure;
    }
    Ticket ticket = done.ticket;
    MemorySegment bytes = done.buffer.asSlice(0, ticket.bytes);
    BlockSums sums = Objects.requireNonNull(files.sums(ticket.segment));
    if (operation.transferred() == ticket.bytes && sums.isIntact(ticket.block, bytes)) {
      return null;
    }
    return new MirrorException(
        "block %d of segment %d is damaged on disk %s: its checksum does not match"
            .formatted(ticket.block, ticket.segment, manifest.disks().get(done.read.disk())));
  }

  private void settle(
      Read read,
      @Nullable Ticket ticket,
      Outcome outcome,
      @Nullable MemorySegment buffer,
      long now) {
    boolean isGiven = false;
    switch (policy.done(read, outcome, now)) {
      case DELIVER -> {
        Ticket waits = Objects.requireNonNull(ticket);
        waits.buffer = buffer;
        isGiven = true;
        tickets.remove(read.block());
        waits.client.delivered.signalAll();
      }
      case LOST -> lost(read.block());
      case DROP, AGAIN -> {}
    }
    if (buffer != null && !isGiven) {
      free.add(buffer);
    }
    settleLost();
  }

  private void settleLost() {
    for (Block block = policy.takeLost(); block != null; block = policy.takeLost()) {
      lost(block);
    }
  }

  private void lost(Block block) {
    Ticket ticket = tickets.remove(block);
    if (ticket != null) {
      IOException last = ticket.problem;
      ticket.failure =
          new IOException(
              "block %d of segment %d of %s has no copy left: %s"
                  .formatted(
                      ticket.block,
                      ticket.segment,
                      mirror,
                      last == null ? "none of its disks can be read" : last.getMessage()),
              last);
      ticket.client.delivered.signalAll();
    }
  }

  /// Ends it: readers that wait fail. Waits for what the disks have begun.
  @Override
  public void close() {
    lock.lock();
    try {
      closing = true;
      if (queue != null) {
        queue.wake();
      }
    } finally {
      lock.unlock();
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
