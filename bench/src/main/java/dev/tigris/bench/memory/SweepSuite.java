package dev.tigris.bench.memory;

import dev.tigris.bench.Scale;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.memory.Container;
import java.util.ArrayList;
import java.util.List;

/// Straight-line methods of 8 to 256 statements in steps of 8: where a compiler gives up, or dies,
/// it does so at some length and not at others.
public final class SweepSuite implements Suite {
  static final int SHORTEST = 8;
  static final int LONGEST = 256;
  static final int STEP = 8;

  /// Makes a suite; the measuring process calls this.
  public SweepSuite() {}

  /// The contest's name at a length, the same in all kinds of processes.
  static String contest(int statements) {
    return Integer.toString(statements);
  }

  static List<String> allContests() {
    List<String> names = new ArrayList<>();
    for (int statements = SHORTEST; statements <= LONGEST; statements += STEP) {
      names.add(contest(statements));
    }
    return names;
  }

  @Override
  public List<Contest> contests(Scale scale) {
    Container container = FieldSuite.container();
    List<Contest> contests = new ArrayList<>();
    for (int statements = SHORTEST; statements <= LONGEST; statements += STEP) {
      contests.add(
          FieldSuite.straightLine(contest(statements), statements, Fields.SIXTEEN_INTS, container));
    }
    return contests;
  }
}
