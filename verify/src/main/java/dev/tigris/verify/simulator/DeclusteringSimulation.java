// Over 400 lines: one simulation, with its setup and its outcome.
package dev.tigris.verify.simulator;

import dev.tigris.flow.mirror.Declustering;
import dev.tigris.flow.mirror.Declustering.Block;
import dev.tigris.flow.mirror.Declustering.Outcome;
import dev.tigris.flow.mirror.Declustering.Read;
import dev.tigris.flow.mirror.Declustering.Reader;
import dev.tigris.flow.mirror.Declustering.Verdict;
import dev.tigris.flow.mirror.FairShares;
import dev.tigris.flow.mirror.ReadOrder;
import dev.tigris.verify.model.VirtualTime;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/// A simulation of mirrored disks and readers, each of which reads a segment that lies on some of
/// the disks, by the shipped [Declustering] or by a plainer way to choose a copy.
///
/// ```
///   reader:  wants its next blocks, up to a window of them behind the first that it has not
///   disk:    does its reads one after the other, each in its time; may stop answering, or fail
/// ```
///
/// Everything follows from the [Setup], its seed included.
public final class DeclusteringSimulation {
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final int HASH_FACTOR = 0x9E3779B9;
  private static final int HASH_SHIFT = 16;

  /// How a copy of a block is chosen.
  public enum Way {
    /// Graduated declustering.
    GRADUATED("graduated"),
    /// One copy for all blocks of a segment.
    HASH("by hash"),
    /// The copies in turn.
    TURNS("in turn");

    private final String label;

    Way(String label) {
      this.label = label;
    }

    /// Returns its name for people.
    public String label() {
      return label;
    }
  }

  /// A disk.
  ///
  /// @param blockNanos how long it takes for a block
  /// @param diesAtNanos from then on, it fails each read
  /// @param hangsAtNanos from then on, it answers nothing until [#wakesAtNanos]
  /// @param wakesAtNanos from then on, it answers again
  public record Disk(long blockNanos, long diesAtNanos, long hangsAtNanos, long wakesAtNanos) {
    /// A disk that is well.
    public static Disk of(long blockNanos) {
      return new Disk(blockNanos, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /// A disk that never answers.
    public static Disk silent() {
      return new Disk(1, Long.MAX_VALUE, 0, Long.MAX_VALUE);
    }
  }

  /// A reader, and the segment of its number.
  ///
  /// @param blocks how many blocks its segment has
  /// @param startNanos when it begins
  /// @param leavesAfter after so many blocks it ends, early or not
  /// @param blockNanos how long it works on a block before it takes the next
  public record Consumer(long blocks, long startNanos, long leavesAfter, long blockNanos) {}

  /// The set-up of a simulation: segment `i` is on disk `i` and those behind it.
  ///
  /// @param processes how many processes the readers are divided among, in order. Each has a policy
  ///     of its own, which knows nothing of the others
  /// @param shares whether a disk does the processes' reads in the order of their readers' progress
  ///     ([ReadOrder]); else as they come
  /// @param copies how many disks have each segment
  /// @param depth how many reads each disk has under way, of each process
  /// @param window how many blocks a reader wants at a time, from the first on that it has not
  /// @param jitter the part by which each time of a disk may be longer or shorter
  /// @param damage the part of the copies of blocks that are damaged
  /// @param durationNanos how long it lasts at most
  public record Setup(
      Way way,
      List<Disk> disks,
      List<Consumer> consumers,
      int processes,
      boolean shares,
      int copies,
      int depth,
      int window,
      double jitter,
      double damage,
      long durationNanos,
      long seed) {
    /// A setup with its own lists.
    public Setup {
      disks = List.copyOf(disks);
      consumers = List.copyOf(consumers);
    }

    /// Returns a setup of as many readers as disks, which read for ten seconds. A healthy disk
    /// takes a millisecond for a block, and each of some disks takes longer.
    ///
    /// @param slowness of the slow disks, such as 2 for half the rate; 0 for disks that never
    // answer
    public static Setup perturbed(Way way, int disks, List<Integer> slow, int slowness, long seed) {
      long nanos = 1_000_000;
      List<Disk> all =
          IntStream.range(0, disks)
              .mapToObj(
                  disk ->
                      !slow.contains(disk)
                          ? Disk.of(nanos)
                          : slowness == 0 ? Disk.silent() : Disk.of(slowness * nanos))
              .toList();
      var endless = new Consumer(Long.MAX_VALUE, 0, Long.MAX_VALUE, 0);
      List<Consumer> readers = IntStream.range(0, disks).mapToObj(i -> endless).toList();
      long duration = (disks <= 64 ? 10 : 2) * SECOND_NANOS;
      return new Setup(way, all, readers, 1, false, 2, 2, 32, 0.1, 0, duration, seed);
    }

    /// Returns this setup with its readers in several processes.
    ///
    /// @param shares whether disks know of their readers' progress
    public Setup in(int otherProcesses, boolean shares) {
      return new Setup(
          way,
          disks,
          consumers,
          otherProcesses,
          shares,
          copies,
          depth,
          window,
          jitter,
          damage,
          durationNanos,
          seed);
    }

    /// Returns the rates of readers that could be had at best, in blocks a second.
    public double[] ideal() {
      double[] rates =
          disks.stream()
              .mapToDouble(
                  disk -> disk.hangsAtNanos() == 0 ? 0 : (double) SECOND_NANOS / disk.blockNanos())
              .toArray();
      return FairShares.of(rates, IntStream.range(0, consumers.size()).mapToObj(this::at).toList());
    }

    int[] at(int segment) {
      return IntStream.range(0, copies).map(copy -> (segment + copy) % disks.size()).toArray();
    }
  }

  /// The outcome.
  ///
  /// @param perSecond blocks a second that each reader got, from a tenth of the time on
  /// @param taken how many blocks each reader got
  /// @param lost how many blocks each reader was told are lost
  /// @param endNanos when the last reader ended; the duration if one did not
  /// @param reads how many reads the disks began
  /// @param secondReads how many of them were second ones
  public record Result(
      List<Double> perSecond,
      List<Long> taken,
      List<Long> lost,
      long endNanos,
      long reads,
      long secondReads) {
    /// The rate of the slowest reader.
    public double slowest() {
      return perSecond.stream().mapToDouble(rate -> rate).min().orElse(0);
    }

    /// The rate of all readers.
    public double all() {
      return perSecond.stream().mapToDouble(rate -> rate).sum();
    }
  }

  private final class Party {
    final int segment;
    final Consumer consumer;
    final int[] places;
    final Declustering policy;
    final Reader reader;
    final BitSet have = new BitSet();
    long first;
    long wanted;
    long taken;
    long lost;
    long measured;
    boolean works;
    boolean hasEnded;

    Party(int segment, Consumer consumer) {
      this.segment = segment;
      this.consumer = consumer;
      this.places = setup.at(segment);
      this.policy = policies.get(segment * setup.processes / setup.consumers.size());
      this.reader = policy.addReader();
    }

    void start() {
      want();
      takeNext();
      serve();
    }

    void serve() {
      for (int disk : places) {
        DeclusteringSimulation.this.serve(policy, disk);
      }
    }

    private double progress() {
      return consumer.blocks == Long.MAX_VALUE ? first : (double) first / consumer.blocks;
    }

    private void want() {
      policy.progress(reader, progress());
      while (!hasEnded && wanted < consumer.blocks && wanted < first + setup.window) {
        Block _ = policy.want(reader, wanted, copies(wanted), progress());
        wanted++;
      }
      for (Block block = policy.takeLost(); block != null; block = policy.takeLost()) {
        owner(block).got(block.number(), true);
      }
    }

    private int[] copies(long block) {
      return switch (setup.way) {
        case GRADUATED -> places;
        case HASH -> new int[] {places[((segment * HASH_FACTOR) >>> HASH_SHIFT) % places.length]};
        case TURNS -> new int[] {places[(int) (block % places.length)]};
      };
    }

    void got(long number, boolean isLost) {
      int place = (int) (number % (2L * setup.window));
      if (number < first || number >= wanted || have.get(place)) {
        throw new IllegalStateException(
            "segment %d has got block %d again, or early".formatted(segment, number));
      }
      have.set(place);
      lost += isLost ? 1 : 0;
      takeNext();
    }

    /// Takes the next block in order, if it is there.
    private void takeNext() {
      while (!works && !hasEnded) {
        if (first >= consumer.blocks || taken >= consumer.leavesAfter) {
          hasEnded = true;
          left--;
          policy.end(reader);
          lastEnd = time.nowNanos();
          return;
        }
        int place = (int) (first % (2L * setup.window));
        if (!have.get(place)) {
          return;
        }
        have.clear(place);
        first++;
        taken++;
        measured += time.nowNanos() >= setup.durationNanos / 10 ? 1 : 0;
        want();
        if (consumer.blockNanos > 0) {
          works = true;
          time.after(
              consumer.blockNanos,
              () -> {
                works = false;
                takeNext();
                serve();
              });
        }
      }
    }
  }

  private final Setup setup;
  private final SplittableRandom random;
  private final VirtualTime time = new VirtualTime();
  private final List<Declustering> policies = new ArrayList<>();
  private final List<Party> parties = new ArrayList<>();

  /// What waits at each disk, if processes share them.
  private final List<ReadOrder<Waiting>> orders = new ArrayList<>();

  /// When each disk will have done what it has.
  private final long[] busyUntil;

  private final IdentityHashMap<Reader, Party> owners = new IdentityHashMap<>();
  private int left;
  private long lastEnd;

  private DeclusteringSimulation(Setup setup) {
    this.setup = setup;
    this.random = new SplittableRandom(setup.seed);
    for (int process = 0; process < setup.processes; process++) {
      policies.add(new Declustering(setup.disks.size(), setup.depth));
    }
    this.busyUntil = new long[setup.disks.size()];
    setup.disks.forEach(disk -> orders.add(new ReadOrder<>()));
    this.left = setup.consumers.size();
    for (int segment = 0; segment < setup.consumers.size(); segment++) {
      var party = new Party(segment, setup.consumers.get(segment));
      parties.add(party);
      owners.put(party.reader, party);
    }
  }

  /// Runs a simulation.
  ///
  /// @throws IllegalStateException if a reader gets a block twice or one that it has not wanted, or
  ///     the policy's account is wrong
  public static Result run(Setup setup) {
    return new DeclusteringSimulation(setup).run();
  }

  private Party owner(Block block) {
    return Objects.requireNonNull(owners.get(block.reader()));
  }

  private Result run() {
    for (Party party : parties) {
      time.after(party.consumer.startNanos, party::start);
    }
    policies.forEach(policy -> time.after(0, () -> look(policy)));
    while (time.nowNanos() < setup.durationNanos && left > 0 && time.step()) {}
    policies.forEach(Declustering::checkInvariants);
    long from = setup.durationNanos / 10;
    double seconds = (double) (setup.durationNanos - from) / SECOND_NANOS;
    return new Result(
        parties.stream().map(party -> party.measured / seconds).toList(),
        parties.stream().map(party -> party.taken).toList(),
        parties.stream().map(party -> party.lost).toList(),
        left == 0 ? lastEnd : setup.durationNanos,
        policies.stream().mapToLong(Declustering::reads).sum(),
        policies.stream().mapToLong(Declustering::secondReads).sum());
  }

  private void look(Declustering policy) {
    long next = policy.look(time.nowNanos());
    for (int disk = 0; disk < busyUntil.length; disk++) {
      serve(policy, disk);
    }
    time.after(Math.max(1, next - time.nowNanos()), () -> look(policy));
  }

  private void serve(Declustering policy, int number) {
    for (Read read = policy.next(number, time.nowNanos());
        read != null;
        read = policy.next(number, time.nowNanos())) {
      if (setup.shares) {
        orders.get(number).add(0, read.block().reader().progress(), new Waiting(policy, read));
      } else {
        begin(read, number);
      }
    }
    if (setup.shares && busyUntil[number] <= time.nowNanos()) {
      serveFirst(number);
    }
  }

  /// A read that a disk was asked for, and has not begun.
  private record Waiting(Declustering policy, Read read) {}

  /// Does the read of the one that is furthest behind.
  private void serveFirst(int number) {
    Waiting next = orders.get(number).next();
    while (next != null && next.read.isNeedless()) {
      Verdict _ = next.policy.done(next.read, Outcome.CANCELLED, time.nowNanos());
      next = orders.get(number).next();
    }
    if (next != null) {
      begin(next.read, number);
    }
  }

  private void begin(Read read, int number) {
    Disk disk = setup.disks.get(number);
    double factor = 1 + setup.jitter * (2 * random.nextDouble() - 1);
    long start = Math.max(busyUntil[number], time.nowNanos());
    long nanos = Math.max(1, (long) (disk.blockNanos * factor));
    long end = start == Long.MAX_VALUE ? start : start + nanos;
    boolean isDead = end >= disk.diesAtNanos;
    if (end >= disk.hangsAtNanos && end < disk.wakesAtNanos) {
      end = disk.wakesAtNanos;
    }
    busyUntil[number] = end;
    if (end < Long.MAX_VALUE) {
      time.after(end - time.nowNanos(), () -> done(read, isDead));
    }
  }

  private void done(Read read, boolean isDead) {
    Block block = read.block();
    Party party = owner(block);
    boolean isDamaged = isDead || isDamaged(party.segment, block.number(), read.disk());
    Outcome outcome = isDamaged ? Outcome.FAILED : Outcome.READ;
    switch (party.policy.done(read, outcome, time.nowNanos())) {
      case DELIVER -> party.got(block.number(), false);
      case LOST -> party.got(block.number(), true);
      case DROP, AGAIN -> {}
    }
    party.want();
    if (setup.shares && busyUntil[read.disk()] <= time.nowNanos()) {
      serveFirst(read.disk());
    }
    serve(party.policy, read.disk());
    party.serve();
  }

  /// A copy is damaged or not, whenever it is read.
  boolean isDamaged(int segment, long block, int disk) {
    if (setup.damage == 0) {
      return false;
    }
    long seed = setup.seed * 31 + segment;
    return new SplittableRandom((seed * 1_000_003 + block) * 1_000_003 + disk).nextDouble()
        < setup.damage;
  }
}
