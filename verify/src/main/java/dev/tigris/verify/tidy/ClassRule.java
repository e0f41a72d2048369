package dev.tigris.verify.tidy;

import java.util.function.Function;
import java.util.stream.Stream;

/// One thing that no class may do.
///
/// @param name what to call it in a report
/// @param why what to do instead, for whoever breaks it
/// @param broken what a class does against it, one entry each; empty if nothing
public record ClassRule(String name, String why, Function<CompiledClass, Stream<String>> broken) {

  /// A line for each breach by a class.
  Stream<String> breaches(CompiledClass found) {
    return broken
        .apply(found)
        .map(what -> "%s %s%n    %s: %s".formatted(found.name(), what, name, why));
  }
}
