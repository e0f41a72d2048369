package dev.tigris.specializer;

import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// The outcome for one class file.
public final class Specialized {
  private final byte[] bytes;
  private final boolean changed;
  private final ClassReport report;
  private final List<Problem> problems;
  private final BooleanSupplier before;
  private final Supplier<Set<String>> rulesAtWork;

  Specialized(
      byte[] bytes,
      boolean changed,
      ClassReport report,
      List<Problem> problems,
      BooleanSupplier before,
      Supplier<Set<String>> rulesAtWork) {
    this.bytes = bytes;
    this.changed = changed;
    this.report = report;
    this.problems = List.copyOf(problems);
    this.before = before;
    this.rulesAtWork = rulesAtWork;
  }

  /// The class file to use: the one given when nothing had to be changed, or when there are
  /// problems.
  public byte[] bytes() {
    return bytes.clone();
  }

  /// Whether [#bytes] is a new class file.
  public boolean changed() {
    return changed;
  }

  /// The report, method by method.
  public ClassReport report() {
    return report;
  }

  /// The problems that keep the class from being specialized; a build must fail on any.
  public List<Problem> problems() {
    return problems;
  }

  /// Whether the class file had been rewritten by an earlier run, at least in part.
  boolean wasRewrittenBefore() {
    return before.getAsBoolean();
  }

  /// The rules that have changed the class, in this run or an earlier one, the standard ones apart.
  Set<String> rulesAtWork() {
    return rulesAtWork.get();
  }
}
