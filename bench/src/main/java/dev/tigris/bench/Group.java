package dev.tigris.bench;

import java.util.List;

/// Figures that are measured together; also one file of the results folder.
public interface Group {
  /// The common prefix of its figures, such as `memory.view`.
  String name();

  /// The figures it can measure, without measuring them.
  List<String> figures();

  /// The figures that cannot be measured on this machine, each in a line with the package to
  /// install or the setting to change.
  default List<String> missing() {
    return List.of();
  }

  /// Whether it measures what another group does under other conditions. A quick run leaves it out
  /// unless nothing else is asked for.
  default boolean isVariant() {
    return false;
  }

  /// Measures the figures that `run` wants and hands each to [Run#emit] as soon as it is there.
  ///
  /// A bench that computes a wrong result throws [WrongResultException].
  void measure(Run run) throws Exception;
}
