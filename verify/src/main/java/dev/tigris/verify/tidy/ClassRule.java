package dev.tigris.verify.tidy;

import java.util.function.Function;
import java.util.stream.Stream;

/// A thing that no class may do.
///
/// @param name its name in a report
/// @param why the advice to the author of a class that breaks it
/// @param broken finds the breaches in a class, one entry each
public record ClassRule(String name, String why, Function<CompiledClass, Stream<String>> broken) {

  /// A line for each breach by a class.
  Stream<String> breaches(CompiledClass found) {
    return broken
        .apply(found)
        .map(what -> "%s %s%n    %s: %s".formatted(found.name(), what, name, why));
  }
}
