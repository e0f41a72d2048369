// Over 400 lines: one state machine, whose rules for disks, readers and blocks go together.
package dev.tigris.flow.mirror;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Graduated declustering (Arpaci-Dusseau et al., *Cluster I/O with River*, 1999; thesis section
/// 6): which disk reads which block next, where each block has copies on several disks.
///
/// ```
///   disk        0        1        2        3           each block of reader i is on the disks
///              / \      / \      / \      / \          i and i + 1
///   reader  3     0  0     1  1     2  2     3
/// ```
///
/// **The rule.** A reader wants some of its next blocks, and says its progress with each. A disk
/// that has room serves, of the readers that want a block that it has, the one that is furthest
/// behind. So a slow disk's readers get more of their neighbours, whose other readers get more of
/// the next ones: rates become max-min fair, the most even ones that the disks allow.
///
/// **Late blocks.** A read is late when it takes [#LATE] times what a read takes on a disk in the
/// middle of all. If its reader has nothing else to wait for, the block is read from a twin, too:
/// the first of the two counts. Such *second reads* are a twentieth of all reads at most, and one
/// for each eight disks. A disk that leaves a read unanswered for [#HUNG] times as long, and a
/// quarter of a second at least, *hangs*: others read what it was asked for, without a budget, and
/// it gets nothing new before it has answered. If its reads were cancelled, it gets a single one
/// after a while, and waits longer for the next from time to time.
///
/// **Damage.** A copy that could not be read, or is not what was written, is never asked for again.
/// A block without a copy is lost, which its reader is told. A disk that has failed [#FAILURES]
/// times in a row is given up.
///
/// Conservation: `blocks wanted = delivered + lost + withdrawn + those that wait or are under way`.
///
/// It has no clock, threads or I/O: it does what follows from the calls and their times, so the
/// same class runs with disks and in a simulator.
///
/// Thread rule: one thread at a time.
public final class Declustering {
  /// How many times the usual time makes a read late.
  static final double LATE = 4;

  /// How many times the usual time makes a disk hang.
  static final double HUNG = 40;

  /// A disk hangs after a quarter of a second at the earliest.
  static final long LEAST_HUNG_NANOS = 250_000_000;

  /// No read is late earlier: the system's scheduler takes as long.
  static final long LEAST_LATE_NANOS = 2_000_000;

  /// So many failures in a row are the disk's.
  static final int FAILURES = 8;

  /// How many reads pay for a second one.
  private static final int READS_FOR_ONE = 20;

  private static final int DISKS_FOR_ONE = 8;

  /// The weight of the latest time in a disk's mean: one eighth.
  private static final double WEIGHT = 0.125;

  /// The end of a read.
  public enum Outcome {
    /// It has the block.
    READ,
    /// It has failed, or the bytes are not those that were written.
    FAILED,
    /// It was not done, because the program has cancelled it.
    CANCELLED
  }

  /// The meaning of an end of a read for its block.
  public enum Verdict {
    /// The block goes to its reader.
    DELIVER,
    /// A twin was faster, or is still being read.
    DROP,
    /// Another copy will be read.
    AGAIN,
    /// No copy is left: the reader cannot have it.
    LOST
  }

  /// One that reads blocks. Its progress is a number that can be compared with that of others, such
  /// as the part of its segment that it has.
  public static final class Reader {
    private final Map<Integer, Queue> queues = new HashMap<>();
    private double progress;
    private int waiting;
    private boolean ended;

    private Reader() {}

    /// Returns what it has said last.
    public double progress() {
      return progress;
    }
  }

  /// A block that a reader wants.
  public static final class Block {
    private final Reader reader;
    private final long number;
    private final int[] copies;
    private final List<Read> underWay = new ArrayList<>(2);
    private long failedCopies;
    private boolean waits;
    private boolean ended;
    private boolean isSecond;

    private Block(Reader reader, long number, int[] copies) {
      this.reader = reader;
      this.number = number;
      this.copies = copies;
    }

    /// Returns its number, as the reader gave it.
    public long number() {
      return number;
    }

    /// Returns its reader.
    public Reader reader() {
      return reader;
    }

    private boolean isReadAt(int disk) {
      for (Read read : underWay) {
        if (read.disk == disk) {
          return true;
        }
      }
      return false;
    }

    private int copyOf(int disk) {
      for (int copy = 0; copy < copies.length; copy++) {
        if (copies[copy] == disk) {
          return copy;
        }
      }
      throw new IllegalStateException("disk %d has no copy of this block".formatted(disk));
    }

    private boolean hasFailedAt(int disk) {
      return (failedCopies >>> copyOf(disk) & 1) != 0;
    }

    private boolean waitsFor(int disk) {
      return waits && !ended && !hasFailedAt(disk) && !isReadAt(disk);
    }
  }

  /// A read of a block from one disk, which is under way.
  public static final class Read {
    private final Block block;
    private final int disk;
    private final long startNanos;
    private final int beside;

    private Read(Block block, int disk, long startNanos, int beside) {
      this.block = block;
      this.disk = disk;
      this.startNanos = startNanos;
      this.beside = beside;
    }

    /// Returns its block.
    public Block block() {
      return block;
    }

    /// Returns its disk.
    public int disk() {
      return disk;
    }

    /// Returns whether its block is not waited for any more: it may be cancelled.
    public boolean isNeedless() {
      return block.ended;
    }

    /// The time that the disk took for it alone: those before it took theirs.
    private double share(long nanos) {
      return (double) (nanos - startNanos) / beside;
    }
  }

  /// The blocks that one reader wants and one disk has.
  private static final class Queue {
    final Reader reader;
    final Deque<Block> blocks = new ArrayDeque<>();
    long served;

    Queue(Reader reader) {
      this.reader = reader;
    }

    /// Returns the first that waits for the disk; those before it are taken off.
    @Nullable Block first(int disk) {
      Block block = blocks.peek();
      while (block != null && !block.waitsFor(disk)) {
        blocks.remove();
        block = blocks.peek();
      }
      return block;
    }
  }

  private static final class Disk {
    final List<Queue> queues = new ArrayList<>();
    final List<Read> underWay = new ArrayList<>();
    double meanNanos;
    int failures;
    boolean isLost;
    boolean hangs;

    /// Of a disk whose reads were all cancelled: how long it gets none, and until when.
    long restNanos;

    long restUntilNanos;
    long served;

    boolean rests(long nowNanos) {
      return restNanos > 0 && nowNanos - restUntilNanos < 0;
    }
  }

  private final Disk[] disks;
  private final int depth;
  private final Deque<Block> lostWaiting = new ArrayDeque<>();
  private double usualNanos;

  /// Second reads that are paid for, in twentieths.
  private long paid;

  private final long mostPaid;
  private long reads;
  private long secondReads;
  private long wanted;
  private long withdrawn;
  private long delivered;
  private long lost;

  /// Makes one for so many disks, all of them well.
  ///
  /// @param depth how many reads each disk has under way at most
  public Declustering(int disks, int depth) {
    if (disks < 1 || depth < 1) {
      throw new IllegalArgumentException("%d disks with %d reads each".formatted(disks, depth));
    }
    this.disks = new Disk[disks];
    Arrays.setAll(this.disks, disk -> new Disk());
    this.depth = depth;
    this.mostPaid = READS_FOR_ONE * (1L + disks / DISKS_FOR_ONE);
    this.paid = READS_FOR_ONE;
  }

  /// Adds a reader.
  public Reader addReader() {
    return new Reader();
  }

  /// Ends a reader, early or not: none of its blocks is wanted any more.
  public void end(Reader reader) {
    if (reader.ended) {
      return;
    }
    reader.ended = true;
    for (Disk disk : disks) {
      for (Read read : disk.underWay) {
        if (read.block.reader == reader) {
          end(read.block);
        }
      }
    }
    for (Map.Entry<Integer, Queue> each : reader.queues.entrySet()) {
      for (Block block : each.getValue().blocks) {
        end(block);
      }
      disks[each.getKey()].queues.remove(each.getValue());
    }
    reader.queues.clear();
  }

  private void end(Block block) {
    if (!block.ended) {
      settleWait(block);
      block.ended = true;
      withdrawn++;
    }
  }

  private static void settleWait(Block block) {
    if (block.waits) {
      block.waits = false;
      block.reader.waiting--;
    }
  }

  /// Asks for a block.
  ///
  /// @param number tells it from others of the reader
  /// @param copies the disks that have a copy, one to 64
  /// @param progress of the reader
  public Block want(Reader reader, long number, int[] copies, double progress) {
    if (reader.ended || copies.length == 0 || copies.length > Long.SIZE) {
      throw new IllegalArgumentException("block %d has %d copies".formatted(number, copies.length));
    }
    var block = new Block(reader, number, copies.clone());
    reader.progress = progress;
    wanted++;
    if (hasTwin(block)) {
      wait(block, false);
    } else {
      lose(block);
      lostWaiting.add(block);
    }
    return block;
  }

  /// Returns a block that has lost its last copy while no read of it was under way, and takes it
  /// off the list of these; null if there is none.
  public @Nullable Block takeLost() {
    return lostWaiting.poll();
  }

  private void lose(Block block) {
    settleWait(block);
    block.ended = true;
    lost++;
  }

  /// Lets a block wait for the disks that have it.
  private void wait(Block block, boolean isUrgent) {
    if (!block.waits) {
      block.waits = true;
      block.reader.waiting++;
    }
    for (int disk : block.copies) {
      if (canRead(block, disk)) {
        Queue queue = block.reader.queues.get(disk);
        if (queue == null) {
          queue = new Queue(block.reader);
          block.reader.queues.put(disk, queue);
          disks[disk].queues.add(queue);
        }
        if (isUrgent) {
          queue.blocks.addFirst(block);
        } else {
          queue.blocks.addLast(block);
        }
      }
    }
  }

  /// Says a reader's progress between two blocks.
  public void progress(Reader reader, double progress) {
    reader.progress = progress;
  }

  /// Begins the next read of a disk; null if it has no room, or nothing that it has is wanted.
  public @Nullable Read next(int number, long nowNanos) {
    Disk disk = disks[number];
    if (disk.isLost || disk.hangs || disk.rests(nowNanos) || disk.underWay.size() >= room(disk)) {
      return null;
    }
    Queue best = null;
    Block block = null;
    for (Queue queue : disk.queues) {
      Block first = queue.first(number);
      if (first != null && (best == null || isBefore(queue, best))) {
        best = queue;
        block = first;
      }
    }
    if (best == null || block == null) {
      return null;
    }
    best.blocks.remove();
    best.served = ++disk.served;
    settleWait(block);
    var read = new Read(block, number, nowNanos, disk.underWay.size() + 1);
    block.underWay.add(read);
    disk.underWay.add(read);
    reads++;
    return read;
  }

  /// A slow disk gets one read at a time: what waits at it could be read elsewhere.
  private int room(Disk disk) {
    boolean isSlow = usualNanos > 0 && disk.meanNanos > LATE / 2 * usualNanos;
    return isSlow || disk.restNanos > 0 ? 1 : depth;
  }

  private static boolean isBefore(Queue one, Queue other) {
    int order = Double.compare(one.reader.progress, other.reader.progress);
    return order != 0 ? order < 0 : one.served < other.served;
  }

  /// A read has ended.
  public Verdict done(Read read, Outcome outcome, long nowNanos) {
    Disk disk = disks[read.disk];
    Block block = read.block;
    if (!disk.underWay.remove(read)) {
      throw new IllegalStateException("this read has ended before");
    }
    block.underWay.remove(read);
    switch (outcome) {
      case READ -> {
        disk.hangs = false;
        disk.restNanos = 0;
        learn(disk, read.share(nowNanos));
        disk.failures = 0;
        paid = Math.min(mostPaid, paid + 1);
      }
      case FAILED -> {
        disk.hangs = false;
        block.failedCopies |= 1L << block.copyOf(read.disk);
        if (++disk.failures == FAILURES) {
          lose(read.disk);
        }
      }
      case CANCELLED -> {
        if (disk.hangs && disk.underWay.isEmpty()) {
          disk.hangs = false;
          disk.restNanos = Math.clamp(2 * disk.restNanos, LEAST_HUNG_NANOS, 40 * LEAST_HUNG_NANOS);
          disk.restUntilNanos = nowNanos + disk.restNanos;
        }
      }
    }
    if (block.ended) {
      return Verdict.DROP;
    }
    if (outcome == Outcome.READ) {
      settleWait(block);
      block.ended = true;
      delivered++;
      return Verdict.DELIVER;
    }
    return without(block);
  }

  /// A read of a block has ended without the block.
  private Verdict without(Block block) {
    boolean hasTwin = hasTwin(block);
    if (hasTwin) {
      wait(block, true);
    }
    if (!block.underWay.isEmpty()) {
      return Verdict.DROP;
    }
    if (!hasTwin) {
      lose(block);
    }
    return hasTwin ? Verdict.AGAIN : Verdict.LOST;
  }

  private void learn(Disk disk, double nanos) {
    disk.meanNanos =
        disk.meanNanos == 0 ? nanos : disk.meanNanos + WEIGHT * (nanos - disk.meanNanos);
    if (usualNanos == 0) {
      usualNanos = nanos;
    }
  }

  /// Gives a disk up: it has no copies any more. Reads of it that are under way may still end well.
  public void lose(int number) {
    Disk disk = disks[number];
    if (disk.isLost) {
      return;
    }
    disk.isLost = true;
    for (Queue queue : disk.queues) {
      queue.reader.queues.remove(number);
      for (Block block : queue.blocks) {
        if (block.waits && block.underWay.isEmpty() && !hasTwin(block)) {
          lose(block);
          lostWaiting.add(block);
        }
      }
    }
    disk.queues.clear();
    for (Read read : List.copyOf(disk.underWay)) {
      rescue(read);
    }
  }

  /// Returns whether a disk was given up.
  public boolean isLost(int disk) {
    return disks[disk].isLost;
  }

  /// Looks for reads that are late and disks that hang, and returns when to look again at the
  /// latest. To be called at that time, and when a disk has nothing to do.
  public long look(long nowNanos) {
    usualNanos = usual();
    double late = Math.max(LEAST_LATE_NANOS, LATE * usualNanos);
    double hung = Math.max(LEAST_HUNG_NANOS, HUNG * usualNanos);
    long next = nowNanos + LEAST_HUNG_NANOS / 4;
    for (Disk disk : disks) {
      if (disk.rests(nowNanos)) {
        next = Math.min(next, disk.restUntilNanos);
      }
      for (int i = 0; i < disk.underWay.size(); i++) {
        Read read = disk.underWay.get(i);
        long taken = nowNanos - read.startNanos;
        if (taken > hung * read.beside) {
          disk.hangs = true;
          disk.underWay.forEach(this::rescue);
        } else if (usualNanos > 0) {
          long latest = (long) (late * read.beside);
          if (taken > latest) {
            readAgain(read);
            next = Math.min(next, nowNanos + LEAST_LATE_NANOS);
          } else {
            next = Math.min(next, read.startNanos + latest + 1);
          }
        }
      }
    }
    return next;
  }

  /// The time of a read on a disk in the middle of those that have answered.
  private double usual() {
    double[] means =
        Arrays.stream(disks)
            .filter(disk -> disk.meanNanos > 0 && !disk.isLost)
            .mapToDouble(disk -> disk.meanNanos)
            .sorted()
            .toArray();
    return means.length == 0 ? usualNanos : means[(means.length - 1) / 2];
  }

  /// Lets others read what a disk does not seem to answer.
  private void rescue(Read read) {
    Block block = read.block;
    if (!block.ended && !block.waits && isStuck(block) && hasTwin(block)) {
      wait(block, true);
    }
  }

  /// Whether all disks that read a block hang, or were given up.
  private boolean isStuck(Block block) {
    for (Read read : block.underWay) {
      if (!disks[read.disk].hangs && !disks[read.disk].isLost) {
        return false;
      }
    }
    return true;
  }

  /// A second read of a block that is late, if its reader has nothing else to wait for.
  private void readAgain(Read read) {
    Block block = read.block;
    boolean helps =
        !block.ended
            && !block.waits
            && !block.isSecond
            && block.reader.waiting == 0
            && hasTwin(block);
    if (helps && paid >= READS_FOR_ONE) {
      paid -= READS_FOR_ONE;
      secondReads++;
      block.isSecond = true;
      wait(block, true);
    }
  }

  private boolean hasTwin(Block block) {
    for (int disk : block.copies) {
      if (canRead(block, disk)) {
        return true;
      }
    }
    return false;
  }

  private boolean canRead(Block block, int disk) {
    return !disks[disk].isLost && !block.hasFailedAt(disk) && !block.isReadAt(disk);
  }

  /// Returns how many reads have begun.
  public long reads() {
    return reads;
  }

  /// Returns how many blocks were read a second time because they were late.
  public long secondReads() {
    return secondReads;
  }

  /// Returns how many times slower a disk is than one in the middle; 1 where it is not known.
  public double slowness(int disk) {
    double mean = disks[disk].meanNanos;
    return mean == 0 || usualNanos == 0 ? 1 : mean / usualNanos;
  }

  /// Checks the equation above, and the budget.
  public void checkInvariants() {
    Set<Block> open = new HashSet<>();
    for (Disk disk : disks) {
      require(disk.underWay.size() <= depth, "depth");
      for (Read read : disk.underWay) {
        require(read.block.underWay.contains(read), "reads");
        open.add(read.block);
      }
      disk.queues.forEach(queue -> open.addAll(queue.blocks));
    }
    long left = open.stream().filter(block -> !block.ended).count();
    require(wanted == delivered + lost + withdrawn + left, "blocks");
    require(secondReads * READS_FOR_ONE <= reads + READS_FOR_ONE, "second reads");
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException("the account of declustering is wrong: " + what);
    }
  }
}
