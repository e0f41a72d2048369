package dev.tigris.bench.disks;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// Some slow disks.
///
/// @param count how many
/// @param rate the name of the rate that they keep
/// @param share the part of their rate that they keep
/// @param isScattered whether a healthy disk is between two of them, and else they are neighbours
record Slowness(int count, String rate, double share, boolean isScattered) {
  private static final int MOST = 4;

  /// All that make sense: of two neighbours that never answer, a segment is lost.
  static List<Slowness> all() {
    List<Slowness> all = new ArrayList<>();
    all.add(new Slowness(0, "none", 1, true));
    for (int count = 1; count <= MOST; count++) {
      for (boolean isScattered : count == 1 ? new boolean[] {true} : new boolean[] {true, false}) {
        all.add(new Slowness(count, "half", 0.5, isScattered));
        all.add(new Slowness(count, "tenth", 0.1, isScattered));
        if (isScattered) {
          all.add(new Slowness(count, "silent", 0, true));
        }
      }
    }
    return all;
  }

  /// Returns the end of a figure's name, such as `2.tenth.scattered`.
  String label() {
    String place = count < 2 ? "" : isScattered ? ".scattered" : ".adjacent";
    return count == 0 ? "0" : count + "." + rate + place;
  }

  /// Returns the numbers of the slow disks.
  List<Integer> disks() {
    return IntStream.range(0, count).mapToObj(i -> isScattered ? 2 * i : i).toList();
  }
}
