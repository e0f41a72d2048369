package dev.tigris.bench.group;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Collective operations of processes on this host, beside those of Open MPI in C over the same
/// medium. Members wait for one another where there are fewer processors.
final class CollectiveGroup implements Group {
  private static final String NAME = "group";
  private static final List<String> PROVIDERS = List.of("shm", "tcp");
  private static final List<Integer> MEMBERS = List.of(2, 4);
  private static final List<Integer> SIZES = List.of(8, 64 << 10, 1 << 20, 16 << 20);

  /// Sizes of which messages go by each of the two ways.
  private static final int SHORT = 1 << 9;

  private static final int LONG = 64 << 10;

  /// Four members do not get to larger ones.
  private static final int LARGEST_OF_MANY = 64 << 10;

  private static final int MOST_OPERATIONS = 100_000;

  @Override
  public String name() {
    return NAME;
  }

  /// A case that is measured.
  ///
  /// @param operation which one
  /// @param provider over which
  /// @param members how many
  /// @param bytes the size; 0 for a barrier
  private record Case(Collective operation, String provider, int members, int bytes) {
    String figure() {
      String figure = "%s.%s.%s.%d".formatted(NAME, operation.word(), provider, members);
      return operation == Collective.BARRIER ? figure : figure + "." + size();
    }

    private String size() {
      return bytes >= 1 << 20
          ? (bytes >> 20) + "MiB"
          : bytes >= 1 << 10 ? (bytes >> 10) + "KiB" : bytes + "B";
    }
  }

  private static List<Case> cases(String provider, int members) {
    List<Case> all = new ArrayList<>();
    for (Collective operation : Collective.values()) {
      List<Integer> sizes = operation == Collective.BARRIER ? List.of(0) : SIZES;
      sizes.stream()
          .filter(size -> members == 2 || size <= LARGEST_OF_MANY)
          .forEach(size -> all.add(new Case(operation, provider, members, size)));
    }
    return all;
  }

  private static Optional<String> obstacle() {
    return Stream.concat(
            PROVIDERS.stream().map(MemberGroups::obstacle), Stream.of(MpiRanks.obstacle()))
        .flatMap(Optional::stream)
        .findFirst();
  }

  @Override
  public List<String> missing() {
    return obstacle().stream().map(why -> NAME + " is left out: " + why).toList();
  }

  @Override
  public List<String> figures() {
    List<String> figures = new ArrayList<>();
    if (obstacle().isEmpty()) {
      for (String provider : PROVIDERS) {
        for (int members : MEMBERS) {
          cases(provider, members).forEach(one -> figures.add(one.figure()));
        }
      }
    }
    return figures;
  }

  @Override
  public void measure(Run run) throws Exception {
    for (String provider : PROVIDERS) {
      for (int members : MEMBERS) {
        List<Case> wanted =
            cases(provider, members).stream().filter(one -> run.wants(one.figure())).toList();
        if (!wanted.isEmpty()) {
          run.say("%s by %d members over %s".formatted(NAME, members, provider));
          measure(run, provider, members, wanted);
        }
      }
    }
  }

  private static void measure(Run run, String provider, int members, List<Case> wanted)
      throws IOException {
    try (Members ours = new Members(members, provider, run.workFolder());
        MpiRanks theirs = new MpiRanks(members, provider, run.workFolder())) {
      warmUp(ours, run.scale().pick(0, 4, 10) * 1_000_000_000L);
      for (Case one : wanted) {
        measure(run, one, ours::nanos, theirs::nanos);
      }
    }
  }

  /// Compiles what is measured. While its compilers run, a member often waits for a processor.
  private static void warmUp(Members ours, long nanos) throws IOException {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < nanos) {
      for (Collective operation : Collective.values()) {
        for (int size : List.of(SHORT, LONG)) {
          long _ = ours.nanos(operation, size, (1 << 20) / size);
        }
      }
    }
  }

  /// Either of the two that are compared.
  private interface Contestant {
    long nanos(Collective operation, int bytes, int count) throws IOException;
  }

  private static void measure(Run run, Case one, Contestant ours, Contestant theirs)
      throws IOException {
    int rounds = run.scale().pick(1, 5, 15);
    long nanos = run.scale().pick(0, 50_000_000, 100_000_000);
    int count = count(one, ours, nanos);
    int theirCount = count(one, theirs, nanos);
    double[] subjects = new double[rounds];
    double[] peers = new double[rounds];
    for (int round = 0; round < rounds; round++) {
      boolean isFirst = round % 2 == 0;
      if (isFirst) {
        subjects[round] = micros(one, ours, count);
      }
      peers[round] = micros(one, theirs, theirCount);
      if (!isFirst) {
        subjects[round] = micros(one, ours, count);
      }
    }
    run.emit(
        Figure.of(
            one.figure(), "us", Better.LOWER, Bar.OPEN_MPI, List.of(new Pairs(subjects, peers))));
  }

  private static double micros(Case one, Contestant which, int count) throws IOException {
    return which.nanos(one.operation, one.bytes, count) / 1e3 / count;
  }

  /// Runs it until it has taken four times as long as one measurement is to take, and returns how
  /// often it runs in one.
  private static int count(Case one, Contestant which, long nanos) throws IOException {
    int count = 1;
    for (long taken = 0; taken < 4 * nanos; ) {
      long its = Math.max(1, which.nanos(one.operation, one.bytes, count));
      taken += its;
      count = Math.clamp(count * nanos / its, 1, MOST_OPERATIONS);
    }
    return count;
  }
}
