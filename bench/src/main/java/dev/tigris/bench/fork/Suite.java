package dev.tigris.bench.fork;

import dev.tigris.bench.Scale;
import java.util.List;

/// Contests that share processes. Implementations have a public constructor without arguments: the
/// process they run in makes its own.
public interface Suite {
  /// Sets up all contests.
  List<Contest> contests(Scale scale) throws Exception;
}
