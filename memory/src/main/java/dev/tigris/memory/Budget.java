// Over 400 lines: one account, and the collections that are asked for where it, or a file, refuses.
package dev.tigris.memory;

import dev.tigris.memory.raw.Pool;
import dev.tigris.os.ScarceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The bound on the memory that all Jbufs of this process hold, with their owners.
///
/// ```
///   usedBytes = the sum of block.budgetBytes() over the list of live blocks <= budgetBytes
/// ```
///
/// Thread rule: the counters and the list are guarded by this object's lock, which is held for a
/// few instructions and never while the collector is asked or caller code runs.
final class Budget {
  static final String PROPERTY = "tigris.memory.budget";

  static final Budget PROCESS = new Budget(configuredBytes());

  /// A request is refused after this many tries, and this time.
  private static final int LEAST_ROUNDS = 10;

  private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);

  /// A request is refused after this time if memory was given back meanwhile, which others took
  /// each time.
  private static final long OVERTAKEN_NANOS = TimeUnit.SECONDS.toNanos(10);

  /// How long a mapping that is refused waits for the verifier after each collection.
  private static final long MAPPING_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /// The wait doubles this many times, from 1 ms on.
  private static final int MOST_DOUBLINGS = 9;

  /// The thread that asks the collector holds this lock. Its finds serve all that wait meanwhile.
  private final Object collecting = new Object();

  /// How many collections have begun. Written under the lock above.
  private volatile long collections;

  private final Pool pool = new Pool();
  private final long budgetBytes;
  private long usedBytes;
  private long count;
  private long reclaimedCount;

  /// How many blocks of each kind of pages were given back so far, freed or reclaimed. Written
  /// under the lock.
  private final AtomicLong[] givenBack = new AtomicLong[PageKind.values().length];

  /// The same of mapped files.
  private final AtomicLong mappingsGivenBack = new AtomicLong();

  private long numbered;
  private @Nullable Block live;

  Budget(long budgetBytes) {
    this.budgetBytes = budgetBytes;
    for (int kind = 0; kind < givenBack.length; kind++) {
      givenBack[kind] = new AtomicLong();
    }
  }

  /// Gives `block` its zeroed memory, which counts as used from now on.
  ///
  /// @throws MemoryBudgetException if there is no room, even after reclaiming: of bytes, or of what
  ///     else the system lends each block, as the open file of a shared one is
  void take(Block block) {
    long rounded = block.budgetBytes();
    long start = 0;
    long first = 0;
    for (int round = 0; ; round++) {
      long before = givenBack(block).get();
      IOException refused = null;
      if (add(block)) {
        try {
          block.take(pool);
          return;
        } catch (IOException e) {
          refused = e;
        } finally {
          if (block.address == 0) {
            remove(block);
          }
        }
      }
      long now = System.nanoTime();
      start = round == 0 ? now : start;
      first = round == 0 ? before : first;
      long waitMillis = 1L << Math.min(round, MOST_DOUBLINGS);
      long patience = givenBack(block).get() == first ? LEAST_NANOS : OVERTAKEN_NANOS;
      if ((round >= LEAST_ROUNDS && now - start >= patience)
          || !canPass(refused, rounded)
          || !awaitReclaim(block, refused, before, waitMillis)) {
        throw new MemoryBudgetException(
            refused == null
                ? refusal(rounded, block.owner)
                : "no room for %d bytes for '%s': %s"
                    .formatted(rounded, block.owner, refused.getMessage()));
      }
    }
  }

  /// Whether a mapping of this process owns a file.
  ///
  /// @param file its real path
  synchronized boolean owns(Path file) {
    for (Block block = live; block != null; block = block.next) {
      FileMapping mapped = block.file;
      if (mapped != null
          && mapped.mapping == Mapping.DURABLE
          && mapped.path.equals(file)
          && !mapped.isTakenOff()) {
        return true;
      }
    }
    return false;
  }

  private synchronized boolean hasMappings() {
    for (Block block = live; block != null; block = block.next) {
      if (block.file != null) {
        return true;
      }
    }
    return false;
  }

  /// Asks the collector for mappings that were dropped, and waits a little for the verifier to give
  /// back what they hold: locks, open files, addresses, the blocks of deleted files. Returns false
  /// where there is nothing to wait for.
  boolean awaitMapping() {
    if (Verifier.PROCESS.isCurrentThread()
        || Thread.currentThread().isInterrupted()
        || !hasMappings()) {
      return false;
    }
    long before = mappingsGivenBack.get();
    collect(collections);
    long deadlineNanos = System.nanoTime() + MAPPING_NANOS;
    try {
      synchronized (this) {
        long leftNanos = MAPPING_NANOS;
        while (mappingsGivenBack.get() == before && leftNanos > 0) {
          TimeUnit.NANOSECONDS.timedWait(this, leftNanos);
          leftNanos = deadlineNanos - System.nanoTime();
        }
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void collect(long begun) {
    synchronized (collecting) {
      if (collections == begun) { // otherwise another thread's collection serves this request
        collections++;
        System.gc();
      }
    }
  }

  /// Returns the pool that the addresses of mapped files come from.
  Pool pool() {
    return pool;
  }

  @SuppressWarnings("EnumOrdinal") // an index in this process only
  private AtomicLong givenBack(Block like) {
    return givenBack[like.pages.ordinal()];
  }

  private synchronized long blocks() {
    return count;
  }

  /// Counts a block; returns false if there is no room for it.
  synchronized boolean add(Block block) {
    long taken = block.budgetBytes();
    if (taken > budgetBytes - usedBytes) {
      return false;
    }
    usedBytes += taken;
    Block first = live;
    block.next = first;
    if (first != null) {
      first.previous = block;
    }
    live = block;
    count++;
    block.number = ++numbered;
    return true;
  }

  private synchronized void remove(Block block) {
    Block before = block.previous;
    Block after = block.next;
    if (before == null) {
      live = after;
    } else {
      before.next = after;
    }
    if (after != null) {
      after.previous = before;
    }
    block.next = null;
    block.previous = null;
    count--;
    usedBytes -= block.budgetBytes();
    notifyAll();
  }

  /// Whether a request may succeed after others have given back unused memory.
  private boolean canPass(@Nullable IOException refused, long rounded) {
    return refused == null ? rounded <= budgetBytes : refused instanceof ScarceException;
  }

  /// Asks the collector for what is unreachable and waits for the verifier to give some of it
  /// back, or for the time to pass. Returns false where waiting makes no sense.
  ///
  /// @param refused what the system has said, for which any block of this kind will do; null if it
  ///     was the budget
  /// @param before how many of this kind had been given back when the request was made
  private boolean awaitReclaim(
      Block block, @Nullable IOException refused, long before, long waitMillis) {
    if (Verifier.PROCESS.isCurrentThread() || Thread.currentThread().isInterrupted()) {
      return false;
    }
    if (refused != null) {
      boolean isNobodys = blocks() == 0;
      if (givenBack(block).get() != before) {
        return true; // one was given back meanwhile, without the collector
      }
      if (isNobodys) {
        return false; // other processes use all of it
      }
    }
    collect(collections);
    long rounded = block.budgetBytes();
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMillis);
    try {
      synchronized (this) {
        long leftNanos = deadlineNanos - System.nanoTime();
        while ((refused == null
                ? rounded > budgetBytes - usedBytes
                : givenBack(block).get() == before)
            && leftNanos > 0) {
          TimeUnit.NANOSECONDS.timedWait(this, leftNanos);
          leftNanos = deadlineNanos - System.nanoTime();
        }
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /// Gives the memory of a freed Jbuf back.
  void release(Block block) {
    block.clear();
    giveBack(block);
  }

  /// Gives the memory of a Jbuf back whose handle has become unreachable.
  void reclaim(Block block) {
    if (!giveBack(block)) {
      return;
    }
    MemoryEvents.reclaimed(block);
    if (block.site != null) {
      System.getLogger(Jbuf.class.getPackageName())
          .log(
              System.Logger.Level.WARNING,
              "reclaimed a Jbuf of {0,number,#} bytes of ''{1}'', which was dropped without free():"
                  + " allocated by {2}",
              block.bytes,
              block.owner,
              block.site);
    }
    synchronized (this) {
      reclaimedCount++;
    }
  }

  /// Returns false if it was given back before: a handle may die while it is being freed.
  private boolean giveBack(Block block) {
    // The pool comes first: a request for which the budget has room must find the memory there.
    synchronized (block) {
      if (block.address == 0) {
        return false;
      }
      try {
        block.give(pool);
      } finally { // a file is unmapped even if it could not be closed
        synchronized (this) {
          givenBack(block).incrementAndGet();
          if (block.file != null) {
            mappingsGivenBack.incrementAndGet();
          }
          remove(block);
        }
      }
    }
    return true;
  }

  synchronized MemoryUse use() {
    Map<String, Long> byOwner = new HashMap<>();
    Map<String, Long> bySite = new HashMap<>();
    long mapped = 0;
    for (Block block = live; block != null; block = block.next) {
      if (block.file == null) {
        byOwner.merge(block.owner, block.budgetBytes(), Long::sum);
        if (block.site != null) {
          bySite.merge(block.site, block.budgetBytes(), Long::sum);
        }
      } else {
        mapped += block.bytes;
      }
    }
    long awaiting = Verifier.PROCESS.awaitingBytes();
    return new MemoryUse(
        budgetBytes,
        usedBytes,
        mapped,
        count,
        awaiting,
        reclaimedCount,
        Map.copyOf(byOwner),
        Map.copyOf(bySite));
  }

  private String refusal(long rounded, String owner) {
    MemoryUse use = use();
    String holders = largest(use.bytesByOwner());
    String sites = largest(use.bytesBySite());
    return ("no room for %d bytes for '%s': %d of the budget's %d bytes are used by %d Jbufs (%s);"
            + " %d bytes wait for their views to be dropped. Free some, or raise -D%s%s")
        .formatted(
            rounded,
            owner,
            use.usedBytes(),
            budgetBytes,
            use.count(),
            holders.isEmpty() ? "none" : holders,
            use.awaitingBytes(),
            PROPERTY,
            sites.isEmpty()
                ? "; -D" + AllocationSite.PROPERTY + "=true says where they were allocated"
                : ". Allocated by " + sites);
  }

  private static String largest(Map<String, Long> holders) {
    return holders.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
        .limit(5)
        .map(entry -> entry.getKey() + " " + entry.getValue())
        .collect(Collectors.joining(", "));
  }

  /// The configured budget, or three quarters of the memory that this process may use.
  private static long configuredBytes() {
    String configured = System.getProperty(PROPERTY);
    return configured == null ? UsableMemory.bytes() / 4 * 3 : parseBytes(configured);
  }

  static long parseBytes(String text) {
    String digits = text.strip().toLowerCase(Locale.ROOT);
    int shift = digits.isEmpty() ? -1 : "kmgt".indexOf(digits.charAt(digits.length() - 1));
    try {
      long number =
          Long.parseLong(shift < 0 ? digits : digits.substring(0, digits.length() - 1).strip());
      long size = Math.multiplyExact(number, 1L << (10 * (shift + 1)));
      if (size <= 0) {
        throw new NumberFormatException("not positive");
      }
      return size;
    } catch (NumberFormatException | ArithmeticException e) {
      throw new IllegalArgumentException(
          "-D%s=%s is not a size: give bytes, as 1073741824 or 1g".formatted(PROPERTY, text), e);
    }
  }

  synchronized void checkInvariants() {
    long sum = 0;
    long blocks = 0;
    for (Block block = live; block != null; block = block.next) {
      sum += block.budgetBytes();
      blocks++;
    }
    if (sum != usedBytes || blocks != count || usedBytes > budgetBytes) {
      throw new IllegalStateException(
          "%d blocks (count %d) of %d bytes, used %d, budget %d"
              .formatted(blocks, count, sum, usedBytes, budgetBytes));
    }
    pool.checkInvariants();
  }
}
