// Over 400 lines: the rings, what goes into the one and comes out of the other, and why the
// order of their loads and stores is right, belong together.
package dev.tigris.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// One io_uring: a ring of operations that the kernel is to do, and one of those that it has done,
/// in memory that both map; and a ring of buffers that it may fill.
///
/// ```text
///   submissions   head (kernel) ..... tail (we)     each slot: 64 bytes, and a message of its own
///   completions   head (we) ......... tail (kernel) each slot: user data 8, result 4, flags 4
///   buffers       (kernel) .......... tail (we)     each slot: address 8, length 4, number 2, 2
/// ```
///
/// Ordering. Whoever owns a tail writes slots, then stores the tail with release; the other side
/// loads it with acquire, and then reads the slots. Whoever owns a head has read the slots before
/// it stores the head with release; the other side loads it with acquire before it writes to them
/// again. Our partner is the kernel in all of them, so no stress test can weaken one side: they
/// are as io_uring(7) has them. Two places need a full fence, because a store must be visible
/// before a later load: the tail before NEED_WAKEUP ([#submit]), and the wish for a signal before
/// the tail of completions ([#wantSignal]).
///
/// **Memory.** An operation names memory that the kernel reads or writes until its completion has
/// been taken. The caller keeps that memory reachable and in use until then, whatever happens: a
/// connection that is given up is cancelled first, and its completions awaited. Nothing here
/// holds it, since only the caller knows what its lease is.
///
/// Thread rule: the thread that made it, with one exception: [#wantSignal] and [#hasWork].
// SAFETY: bounds: the rings are mapped with the sizes that the kernel gave, and every access is
// checked against them; indices are masked; lifetime: mapped until [#close], and the shared arena
// refuses later accesses; thread: see above.
public final class IoUring implements AutoCloseable {
  /// Whether a thread of the kernel takes the operations: no system call to submit them, for a core
  /// that is never idle.
  public enum Polling {
    NONE,
    BY_THE_KERNEL
  }

  /// The negative result of an operation that has found no buffer.
  public static final int NO_BUFFERS = -105;

  /// The negative result of an operation that was cancelled.
  public static final int CANCELED = -125;

  private static final int BAD_FILE = -9;

  private static final long ENTER_CALL = 426;
  private static final long SUBMISSIONS_AT = 0x10000000;

  private static final int ENTER_GETEVENTS = 1;
  private static final int ENTER_SQ_WAKEUP = 2;
  private static final int ENTER_SQ_WAIT = 4;
  private static final int SQ_NEED_WAKEUP = 1;
  private static final int SQ_HAS_WORK = 2 | 4; // completions that found no room; deferred work
  private static final int CQ_NO_SIGNAL = 1;

  private static final int REGISTER_MEMORY = 0;
  private static final int REGISTER_FILES = 2;
  private static final int REGISTER_EVENTFD = 4;
  private static final int REGISTER_FILES_UPDATE = 6;
  private static final int REGISTER_BUFFERS = 22;

  private static final int POLL_ADD = 6;
  private static final int POLLIN = 1;
  private static final int POLLERR = 8;
  private static final int POLLHUP = 16;
  private static final int SENDMSG = 9;
  private static final int RECVMSG = 10;
  private static final int ASYNC_CANCEL = 14;
  private static final int SEND = 26;
  private static final int RECV = 27;

  private static final int FSYNC = 3;
  private static final int READ_FIXED = 4;
  private static final int WRITE_FIXED = 5;
  private static final int READ = 22;
  private static final int WRITE = 23;

  /// Beside an operation, in the second byte and in the third.
  private static final int TAKES_BUFFER = 1 << (5 + 8);

  private static final int FILE_IS_REGISTERED = 1 << 8;

  private static final int RECV_MULTISHOT = 1 << (1 + 16);
  private static final int HAS_BUFFER = 1;
  private static final int GOES_ON = 1 << 1;

  /// Behind the number of bytes: MSG_WAITALL, and MSG_NOSIGNAL; of a cancellation, all of a file.
  private static final long TO_FILL = 0x100L << 32;

  private static final long TO_SEND = TO_FILL | 0x4000L << 32;
  private static final long CANCEL_ALL_OF_FILE = 3L << 32;

  private static final int SUBMISSION_BYTES = 64;
  private static final int COMPLETION_BYTES = 16;
  private static final int BUFFER_BYTES = 16;
  private static final int BUFFERS_TAIL = 14;

  /// The kernel wants a ring of buffers to begin where a page does: the largest pages that there
  /// are, some kernels' for aarch64.
  private static final int LARGEST_PAGE_BYTES = 1 << 16;

  /// How many buffers can be provided.
  public static final int MOST_BUFFERS = 4096;

  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final VarHandle SHORT = ValueLayout.JAVA_SHORT.varHandle();
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private final Arena arena = Arena.ofShared();
  private final IoUringSetup setup;
  private final int fd;
  private final boolean kernelPolls;

  private final MemorySegment rings;
  private final MemorySegment submissions;
  private final MemorySegment messages;
  private final int sqMask;
  private final long sqHeadAt;
  private final long sqTailAt;
  private final long sqFlagsAt;
  private final int cqMask;
  private final long cqHeadAt;
  private final long cqTailAt;
  private final long cqFlagsAt;
  private final long completionsAt;
  private final MemorySegment buffers;
  private short buffersTail;

  private int sqTail;
  private int submitted;
  private int cqHead;
  private int cqTail;
  private long userData;
  private int result;
  private int flags;

  /// Makes one.
  ///
  /// @param polling by the kernel, if several threads of the operating system make the calls, as
  ///     those of a virtual thread are, which changes its carrier
  /// @param other a ring of this process, whose thread of the kernel this one is to share if it
  ///     has any, too; null for none
  /// @throws SystemException if the kernel refuses, or is too old
  public IoUring(Polling polling, @Nullable IoUring other) throws SystemException {
    kernelPolls = polling == Polling.BY_THE_KERNEL;
    boolean made = false;
    OpenFile file = null;
    try {
      setup = IoUringSetup.make(arena, polling, other == null ? null : other.setup);
      file = setup.file();
      fd = file.number();
      setup.requireFeatures();
      setup.requireOperations(POLL_ADD, SENDMSG, RECVMSG, ASYNC_CANCEL, SEND, RECV);
      int sqEntries = setup.submissions();
      int cqEntries = setup.completions();
      long array = setup.submissionsOffset(24);
      completionsAt = setup.completionsOffset(20);
      long ringBytes =
          Math.max(
              array + Integer.BYTES * (long) sqEntries,
              completionsAt + COMPLETION_BYTES * (long) cqEntries);
      rings = map(ringBytes, 0);
      submissions = map(sqEntries * (long) SUBMISSION_BYTES, SUBMISSIONS_AT);
      messages = arena.allocate(sqEntries * (long) Ranges.BYTES, 64);
      sqMask = sqEntries - 1;
      sqHeadAt = setup.submissionsOffset(0);
      sqTailAt = setup.submissionsOffset(4);
      sqFlagsAt = setup.submissionsOffset(16);
      cqMask = cqEntries - 1;
      cqHeadAt = setup.completionsOffset(0);
      cqTailAt = setup.completionsOffset(4);
      cqFlagsAt = setup.completionsOffset(24);
      for (int i = 0; i < sqEntries; i++) {
        rings.set(ValueLayout.JAVA_INT, array + Integer.BYTES * (long) i, i);
      }
      buffers = makeBufferRing();
      requireReceivingAlways();
      made = true;
    } finally {
      if (!made) {
        if (file != null) {
          file.close();
        }
        arena.close();
      }
    }
  }

  @SuppressWarnings("restricted")
  private MemorySegment map(long bytes, long at) throws SystemException {
    int flags = Mappings.MAP_SHARED | Mappings.MAP_POPULATE;
    long address =
        SystemException.check(
            "map an io_uring", Mappings.map(0, bytes, Mappings.PROT_READ_WRITE, flags, fd, at));
    return MemorySegment.ofAddress(address)
        .reinterpret(bytes, arena, ended -> Mappings.unmap(ended.address(), bytes));
  }

  /// Makes the ring of buffers that what is received goes to, empty. The kernel reads it until this
  /// is closed.
  private MemorySegment makeBufferRing() throws SystemException {
    MemorySegment ring = arena.allocate(MOST_BUFFERS * (long) BUFFER_BYTES, LARGEST_PAGE_BYTES);
    try (Arena scratch = Arena.ofConfined()) {
      MemorySegment registration = scratch.allocate(40, 8);
      registration.set(LONG, 0, ring.address());
      registration.set(ValueLayout.JAVA_INT, 8, MOST_BUFFERS);
      setup.register("give io_uring a ring of buffers", REGISTER_BUFFERS, registration, 1);
    }
    return ring;
  }

  /// A kernel that does not know [#receiveAlways] says so before it looks at the socket, which does
  /// not exist.
  private void requireReceivingAlways() throws SystemException {
    receiveAlways(0, -1);
    boolean answered = false;
    while (!answered) {
      submitAndWait();
      answered = next();
    }
    if (result != BAD_FILE) {
      throw new SystemException("receive again and again with io_uring", -result);
    }
  }

  /// Returns whether a thread of the kernel takes the operations.
  public boolean isPolled() {
    return kernelPolls;
  }

  /// Returns how the ring was made, in words for people.
  public String mode() {
    return setup.mode();
  }

  /// Where the ring of buffers begins.
  long buffersAddress() {
    return buffers.address();
  }

  /// Has the kernel raise a signal at completions, while [#wantSignal] asks for it.
  public void signalTo(Signal signal) throws SystemException {
    try (Arena scratch = Arena.ofConfined()) {
      MemorySegment number = scratch.allocateFrom(ValueLayout.JAVA_INT, signal.file().number());
      setup.register("let io_uring raise a signal", REGISTER_EVENTFD, number, 1);
    }
    wantSignal(false);
  }

  /// Lends a buffer to the kernel, until a completion names it; no more than [#MOST_BUFFERS] are.
  public void provide(int number, MemorySegment buffer) {
    long at = (buffersTail & (MOST_BUFFERS - 1)) * (long) BUFFER_BYTES;
    // The last two bytes of the first slot are the tail.
    buffers.set(LONG, at, buffer.address());
    buffers.set(ValueLayout.JAVA_INT, at + 8, (int) buffer.byteSize());
    buffers.set(ValueLayout.JAVA_SHORT, at + 12, (short) number);
    buffersTail++;
    SHORT.setRelease(buffers, (long) BUFFERS_TAIL, buffersTail);
  }

  // ---- operations

  /// Sends all of some ranges.
  public void send(long user, int socket, Ranges from) {
    if (from.count() == 1) {
      add(SEND, socket, from.address(0), Math.toIntExact(from.length(0)) | TO_SEND, user);
    } else {
      add(SENDMSG, socket, message(from), 1 | TO_SEND, user);
    }
  }

  /// Receives what is there, at most what some ranges take.
  ///
  /// The kernel has its own copy of the header from the submission on, and writes only flags and
  /// the length of what is beside the data back, both zero for TCP: so the next to use this slot
  /// sees no difference.
  public void receive(long user, int socket, Ranges to) {
    add(RECVMSG, socket, message(to), 1, user);
  }

  /// Copies ranges to where the slot that is filled next has its message; returns the address.
  private long message(Ranges ranges) {
    makeRoom();
    return ranges.copyTo(messages, (sqTail & sqMask) * (long) Ranges.BYTES);
  }

  /// Fills the only one of some ranges, or less of it if the stream ends.
  public void receiveAll(long user, int socket, Ranges to) {
    add(RECV, socket, to.address(0), Math.toIntExact(to.length(0)) | TO_FILL, user);
  }

  /// Receives what is there, at most so many bytes, into a buffer that is picked then: the
  /// completion names it. None is taken before something arrives.
  public void receiveAhead(long user, int socket, int bytes) {
    add(RECV | TAKES_BUFFER, socket, 0, bytes, user);
  }

  /// Receives whatever comes, again and again, each time into a buffer that is picked then. There
  /// is a completion for each; the last of them is the one that does not [#goesOn].
  public void receiveAlways(long user, int socket) {
    add(RECV | TAKES_BUFFER | RECV_MULTISHOT, socket, 0, 0, user);
  }

  /// Completes when the other side has closed its direction, or the connection is lost, which
  /// [#isLoss] tells apart.
  public void watch(long user, int socket) {
    add(POLL_ADD, socket, 0, 0, user);
  }

  /// Completes when there is something to receive, or the stream has ended.
  public void await(long user, int socket) {
    add(POLL_ADD, socket, 0, (long) POLLIN << Integer.SIZE, user);
  }

  /// Returns whether an operation that has watched a socket reports its loss.
  ///
  /// @param result of its completion
  public static boolean isLoss(int result) {
    return result < 0 || (result & (POLLERR | POLLHUP)) != 0;
  }

  /// Cancels the operation of another user data: both complete.
  public void cancel(long user, long other) {
    add(ASYNC_CANCEL, -1, other, 0, user);
  }

  /// Cancels all operations on a socket.
  public void cancelAll(long user, int socket) {
    add(ASYNC_CANCEL, socket, 0, CANCEL_ALL_OF_FILE, user);
  }

  // ---- operations of disks

  /// Makes room for registered files, all of it empty. A kernel that refuses leaves all files
  /// unregistered.
  public boolean registerFiles(int count) {
    try (Arena scratch = Arena.ofConfined()) {
      MemorySegment none = scratch.allocate(ValueLayout.JAVA_INT, count);
      none.fill((byte) -1);
      setup.register("register files", REGISTER_FILES, none, count);
      return true;
    } catch (SystemException e) {
      return false;
    }
  }

  /// Registers a file at a place, or takes the one there out if `fd` is -1: a registered file is
  /// found without a count of its users. Returns false if the kernel refuses.
  public boolean registerFile(int place, int fd) {
    try (Arena scratch = Arena.ofConfined()) {
      MemorySegment number = scratch.allocateFrom(ValueLayout.JAVA_INT, fd);
      MemorySegment update = scratch.allocate(16, 8);
      update.set(ValueLayout.JAVA_INT, 0, place);
      update.set(LONG, 8, number.address());
      setup.register("register a file", REGISTER_FILES_UPDATE, update, 1);
      return true;
    } catch (SystemException e) {
      return false;
    }
  }

  /// Registers memory as buffer 0, whose pages the kernel pins until this is closed. Returns false
  /// if the kernel refuses, as it does beyond the limit of locked memory.
  public boolean registerMemory(MemorySegment memory) {
    try (Arena scratch = Arena.ofConfined()) {
      MemorySegment vector = scratch.allocate(16, 8);
      vector.set(LONG, 0, memory.address());
      vector.set(LONG, 8, memory.byteSize());
      setup.register("register memory", REGISTER_MEMORY, vector, 1);
      return true;
    } catch (SystemException e) {
      return false;
    }
  }

  /// Reads from a position of a file to memory, as pread(2) does.
  ///
  /// @param file a descriptor, or the place of a registered file
  /// @param inMemory whether the memory is a part of what [#registerMemory] was given
  public void read(
      long user, int file, boolean registered, long position, MemorySegment to, boolean inMemory) {
    transfer(inMemory ? READ_FIXED : READ, user, file, registered, position, to);
  }

  /// Writes memory to a position of a file, as pwrite(2) does. The arguments are as for [#read].
  public void write(
      long user,
      int file,
      boolean registered,
      long position,
      MemorySegment from,
      boolean inMemory) {
    transfer(inMemory ? WRITE_FIXED : WRITE, user, file, registered, position, from);
  }

  private void transfer(
      int operation, long user, int file, boolean registered, long position, MemorySegment part) {
    add(
        operation | (registered ? FILE_IS_REGISTERED : 0),
        file,
        position,
        part.address(),
        part.byteSize(),
        user);
  }

  /// Waits for what was written to a file to be on the disk, as fsync(2) does.
  public void sync(long user, int file, boolean registered) {
    add(FSYNC | (registered ? FILE_IS_REGISTERED : 0), file, 0, 0, user);
  }

  /// Fills the slot at the tail.
  ///
  /// ```text
  ///   0           1       2           4      8    16        24      28      32          40    64
  ///   +-----------+-------+-----------+------+----+---------+-------+-------+-----------+-----+
  ///   | operation | flags | its flags | file | at | address | bytes | flags | user data |  0  |
  ///   +-----------+-------+-----------+------+----+---------+-------+-------+-----------+-----+
  /// ```
  ///
  /// @param operation with the two flags beside it
  /// @param bytes with the flags behind it, which of a poll are the events
  private void add(int operation, int file, long address, long bytes, long user) {
    add(operation, file, 0, address, bytes, user);
  }

  private void add(int operation, int file, long position, long address, long bytes, long user) {
    makeRoom();
    long at = (sqTail & sqMask) * (long) SUBMISSION_BYTES;
    submissions.set(LONG, at, operation | (long) file << Integer.SIZE);
    submissions.set(LONG, at + 8, position);
    submissions.set(LONG, at + 16, address);
    submissions.set(LONG, at + 24, bytes);
    submissions.set(LONG, at + 32, user);
    submissions.set(LONG, at + 40, 0);
    submissions.set(LONG, at + 48, 0);
    submissions.set(LONG, at + 56, 0);
    sqTail++;
  }

  private void makeRoom() {
    while (sqTail - (int) INT.getAcquire(rings, sqHeadAt) > sqMask) {
      submit();
      if (kernelPolls) {
        enter(0, 0, ENTER_SQ_WAIT);
      }
    }
  }

  // ---- system calls

  /// Hands over the operations that were added: one system call for all of them, or none if the
  /// kernel polls. Deferred work is done on the way.
  public void submit() {
    if (submitted == sqTail) {
      return;
    }
    INT.setRelease(rings, sqTailAt, sqTail);
    if (kernelPolls) {
      submitted = sqTail;
      VarHandle.fullFence();
      if (((int) INT.getOpaque(rings, sqFlagsAt) & SQ_NEED_WAKEUP) != 0) {
        enter(0, 0, ENTER_SQ_WAKEUP);
      }
    } else {
      enter(left(), 0, ENTER_GETEVENTS);
    }
  }

  /// What the kernel has not taken: a system call that is interrupted takes only a part.
  private int left() {
    return kernelPolls ? 0 : sqTail - (int) INT.getAcquire(rings, sqHeadAt);
  }

  /// Has deferred work done.
  public void collect() {
    enter(0, 0, ENTER_GETEVENTS);
  }

  /// Submits, and waits for a completion, or for nothing: a signal ends it too.
  public void submitAndWait() {
    if (kernelPolls) {
      submit();
    } else { // one system call does both
      INT.setRelease(rings, sqTailAt, sqTail);
    }
    if (cqHead == (int) INT.getAcquire(rings, cqTailAt)) {
      enter(left(), 1, ENTER_GETEVENTS);
    } else {
      submit();
    }
  }

  private void enter(int count, int complete, int how) {
    long done = Calls.syscallQuietly(ENTER_CALL, fd, count, complete, how);
    if (done < 0) { // again, to hear why
      done = Calls.syscall(ENTER_CALL, fd, count, complete, how);
    }
    // Interrupted, or without memory now: what was not submitted is at the next call.
    if (done < 0 && done != -SystemException.INTERRUPTED && done != -SystemException.AGAIN) {
      throw new IllegalStateException(
          "enter an io_uring: " + SystemException.describe((int) -done));
    }
    if (!kernelPolls && left() == 0) {
      submitted = sqTail;
    }
  }

  // ---- completions

  /// Takes the next completion; returns whether there was one.
  public boolean next() {
    if (cqHead == cqTail) {
      cqTail = (int) INT.getAcquire(rings, cqTailAt);
      if (cqHead == cqTail) {
        return false;
      }
    }
    long at = completionsAt + (cqHead & cqMask) * (long) COMPLETION_BYTES;
    userData = rings.get(LONG, at);
    result = rings.get(ValueLayout.JAVA_INT, at + 8);
    flags = rings.get(ValueLayout.JAVA_INT, at + 12);
    cqHead++;
    INT.setRelease(rings, cqHeadAt, cqHead);
    return true;
  }

  /// Of the completion taken: what the operation was given.
  public long userData() {
    return userData;
  }

  /// Of the completion taken: how many bytes, or the negative number of an error.
  public int result() {
    return result;
  }

  /// Of the completion taken: the number of the buffer that was filled, and -1 if none was.
  public int buffer() {
    return (flags & HAS_BUFFER) == 0 ? -1 : flags >>> 16;
  }

  /// Of the completion taken: whether the operation is in flight still.
  public boolean goesOn() {
    return (flags & GOES_ON) != 0;
  }

  /// Returns whether there is deferred work, which [#collect] has done.
  public boolean hasDeferredWork() {
    return ((int) INT.getOpaque(rings, sqFlagsAt) & SQ_HAS_WORK) != 0;
  }

  /// Returns whether there are completions or deferred work. Any thread.
  public boolean hasWork() {
    return hasDeferredWork()
        || (int) INT.getAcquire(rings, cqHeadAt) != (int) INT.getAcquire(rings, cqTailAt);
  }

  /// Says whether completions are to be signalled. Any thread. What [#hasWork] does not see after
  /// this is signalled: the fence stands between the store here and its loads.
  public void wantSignal(boolean wanted) {
    INT.setRelease(rings, cqFlagsAt, wanted ? 0 : CQ_NO_SIGNAL);
    VarHandle.fullFence();
  }

  /// Closes it. Nothing is in flight any more.
  @Override
  public void close() {
    setup.file().close();
    arena.close();
  }
}
