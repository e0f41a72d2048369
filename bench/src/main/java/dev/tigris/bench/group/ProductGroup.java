package dev.tigris.bench.group;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.matrix.GroupProduct;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Products of square matrices of doubles by the members of a group over shared memory, one thread
/// each: the speed beside that of one member times their number, and the share of the time that is
/// communication beside the paper's (Chang, *Safe and Explicit Memory Management*, figure 3.9).
/// Members wait for one another where there are fewer processors.
final class ProductGroup implements Group {
  private static final String NAME = "multiply.group";
  private static final int SIZE = 2048;
  private static final List<Integer> MEMBERS = List.of(2, 4, 8);
  private static final double PAPERS_PERCENT = 13;
  private static final double MOST_PERCENT = 5;

  @Override
  public String name() {
    return NAME;
  }

  private static String speed(int members) {
    return "%s.%d.%d".formatted(NAME, SIZE, members);
  }

  private static String share(int members) {
    return speed(members) + ".communication";
  }

  @Override
  public List<String> missing() {
    return MemberGroups.obstacle("shm").stream().map(why -> NAME + " is left out: " + why).toList();
  }

  @Override
  public List<String> figures() {
    List<String> figures = new ArrayList<>();
    if (MemberGroups.obstacle("shm").isEmpty()) {
      for (int members : MEMBERS) {
        figures.add(speed(members));
        figures.add(share(members));
      }
    }
    return figures;
  }

  @Override
  public void measure(Run run) throws Exception {
    for (int members : MEMBERS) {
      if (run.wants(speed(members)) || run.wants(share(members))) {
        run.say(speed(members));
        measure(run, members);
      }
    }
  }

  private static void measure(Run run, int members) throws IOException {
    int size = run.scale().pick(96, SIZE, SIZE);
    int rounds = run.scale().pick(1, 3, 7);
    double[] speeds = new double[rounds];
    double[] ideals = new double[rounds];
    double[] shares = new double[rounds];
    try (Members all = new Members(members, "shm", run.workFolder());
        Members one = new Members(1, "shm", run.workFolder())) {
      if (rounds > 1) {
        GroupProduct.Times _ = all.multiply(size, 2); // compiles
        GroupProduct.Times _ = one.multiply(size, 2);
      }
      for (int round = 0; round < rounds; round++) {
        GroupProduct.Times single = one.multiply(size, 1);
        GroupProduct.Times times = all.multiply(size, 1);
        double operations = 2.0 * size * size * size;
        speeds[round] = operations / times.nanos();
        ideals[round] = members * operations / single.nanos();
        shares[round] = 100.0 * times.communicationNanos() / times.nanos();
      }
    }
    run.emit(
        Figure.of(
            speed(members),
            "GFLOP/s",
            Better.HIGHER,
            Bar.IDEAL,
            List.of(new Pairs(speeds, ideals))));
    run.emit(percent(share(members), Bar.LIMIT, shares, MOST_PERCENT));
    run.emit(
        percent(share(members), Bar.PAPER, shares, PAPERS_PERCENT)
            .withNote("Javia-II, 1999: 13 % at the least, with 256 x 256 on 8 processors"));
  }

  private static Figure percent(String figure, String peer, double[] shares, double beside) {
    double[] peers = new double[shares.length];
    Arrays.fill(peers, beside);
    return Figure.of(figure, "%", Better.LOWER, peer, List.of(new Pairs(shares, peers)));
  }
}
