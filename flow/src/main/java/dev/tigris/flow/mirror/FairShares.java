package dev.tigris.flow.mirror;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/// The rates of readers that are the most even ones that disks allow: max-min fair. No reader could
/// get more without less for one that has no more.
///
/// The lowest rate is the largest that all can have at once, which a maximum flow decides. The
/// readers that cannot have more keep it, and the others share what is left.
///
/// ```
///   source --rate--> disk --any--> reader that has a copy there --its share--> sink
/// ```
///
/// No way to choose copies gives more, so this is what [Declustering] is held against.
public final class FairShares {
  private static final int STEPS = 50;
  private static final double CLOSE = 1e-7;

  private final double[] rates;
  private final List<int[]> copies;
  private final double[] shares;
  private final boolean[] isFixed;

  private FairShares(double[] rates, List<int[]> copies) {
    this.rates = rates;
    this.copies = copies;
    this.shares = new double[copies.size()];
    this.isFixed = new boolean[copies.size()];
  }

  /// Returns the rates.
  ///
  /// @param rates of the disks
  /// @param copies for each reader, the disks that have what it reads
  public static double[] of(double[] rates, List<int[]> copies) {
    var shares = new FairShares(rates, copies);
    while (shares.fixSome()) {}
    return shares.shares;
  }

  /// Finds the next higher rate; returns whether readers are left.
  private boolean fixSome() {
    double low = 0;
    double high = Arrays.stream(rates).sum();
    if (high == 0) {
      return false;
    }
    double precision = high * CLOSE;
    for (int step = 0; step < STEPS; step++) {
      double middle = (low + high) / 2;
      if (allows(middle, -1, precision)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    boolean found = false;
    boolean isLeft = false;
    double more = precision * copies.size() * 4;
    boolean[] now = isFixed.clone();
    for (int reader = 0; reader < shares.length; reader++) {
      if (!isFixed[reader]) {
        shares[reader] = low;
        now[reader] = !allows(low, reader, more);
        found |= now[reader];
      }
    }
    for (int reader = 0; reader < shares.length; reader++) {
      isFixed[reader] = now[reader] || !found;
      isLeft |= !isFixed[reader];
    }
    return isLeft;
  }

  /// Returns whether all that are not fixed can have so much, and one of them something more.
  private boolean allows(double share, int favourite, double more) {
    double[] wanted = shares.clone();
    double all = 0;
    for (int reader = 0; reader < wanted.length; reader++) {
      wanted[reader] = isFixed[reader] ? wanted[reader] : share;
      wanted[reader] += reader == favourite ? more : 0;
      all += wanted[reader];
    }
    double slack = favourite < 0 ? more : more / 2;
    return new Flow(rates, copies, wanted).most() >= all - slack;
  }

  /// Dinic's algorithm.
  private static final class Flow {
    private final int disks;
    private final int sink;
    private final int source;
    private final int[] first;
    private final int[] next;
    private final int[] to;
    private final double[] left;
    private final int[] level;
    private final int[] at;
    private int arcs;

    Flow(double[] rates, List<int[]> copies, double[] wanted) {
      disks = rates.length;
      source = disks + wanted.length;
      sink = source + 1;
      int most = 2 * (disks + wanted.length + copies.stream().mapToInt(each -> each.length).sum());
      first = new int[sink + 1];
      Arrays.fill(first, -1);
      next = new int[most];
      to = new int[most];
      left = new double[most];
      level = new int[sink + 1];
      at = new int[sink + 1];
      for (int disk = 0; disk < disks; disk++) {
        arc(source, disk, rates[disk]);
      }
      for (int reader = 0; reader < wanted.length; reader++) {
        arc(disks + reader, sink, wanted[reader]);
        for (int disk : copies.get(reader)) {
          arc(disk, disks + reader, Double.MAX_VALUE);
        }
      }
    }

    private void arc(int from, int end, double capacity) {
      half(from, end, capacity);
      half(end, from, 0);
    }

    private void half(int from, int end, double capacity) {
      to[arcs] = end;
      left[arcs] = capacity;
      next[arcs] = first[from];
      first[from] = arcs++;
    }

    double most() {
      double all = 0;
      while (hasPath()) {
        System.arraycopy(first, 0, at, 0, first.length);
        double more = push(source, Double.MAX_VALUE);
        while (more > 0) {
          all += more;
          more = push(source, Double.MAX_VALUE);
        }
      }
      return all;
    }

    private boolean hasPath() {
      Arrays.fill(level, -1);
      level[source] = 0;
      Deque<Integer> open = new ArrayDeque<>();
      open.add(source);
      while (!open.isEmpty()) {
        int node = open.remove();
        for (int arc = first[node]; arc >= 0; arc = next[arc]) {
          if (left[arc] > 1e-12 && level[to[arc]] < 0) {
            level[to[arc]] = level[node] + 1;
            open.add(to[arc]);
          }
        }
      }
      return level[sink] >= 0;
    }

    private double push(int node, double most) {
      if (node == sink) {
        return most;
      }
      for (; at[node] >= 0; at[node] = next[at[node]]) {
        int arc = at[node];
        if (left[arc] > 1e-12 && level[to[arc]] == level[node] + 1) {
          double pushed = push(to[arc], Math.min(most, left[arc]));
          if (pushed > 0) {
            left[arc] -= pushed;
            left[arc ^ 1] += pushed;
            return pushed;
          }
        }
      }
      return 0;
    }
  }
}
