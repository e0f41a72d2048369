package dev.tigris.specializer;

import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/// What was done to a set of classes.
///
/// @param classesSeen how many class files were looked at
/// @param classesChanged how many of them were written anew
/// @param classes those that a rule had something to say about
/// @param problems what keeps the classes from being specialized; nothing was written if there are
///     any
/// @param withoutPatch those that a patch was asked for and that can have none, as an earlier run
///     has rewritten them: a patch is made of a class as it was compiled
/// @param idleRules those that were added to the standard ones and have changed none of the
///     classes, in no earlier run either
public record Report(
    int classesSeen,
    int classesChanged,
    List<ClassReport> classes,
    List<Problem> problems,
    List<String> withoutPatch,
    List<String> idleRules) {
  /// How many instructions were replaced.
  public long rewritten() {
    return problems.isEmpty() ? sum(MethodReport::rewritten) : 0;
  }

  /// How many instructions a rule left alone, for a reason that the report gives.
  public long leftAlone() {
    return sum(method -> method.lines().size() - method.rewritten());
  }

  private long sum(ToLongFunction<MethodReport> count) {
    return classes.stream().flatMap(type -> type.methods().stream()).mapToLong(count).sum();
  }

  /// One line.
  public String summary() {
    if (!problems.isEmpty()) {
      return "%d classes: none rewritten, because of %d problem%s"
          .formatted(classesSeen, problems.size(), problems.size() == 1 ? "" : "s");
    }
    long rewritten = rewritten();
    long left = leftAlone();
    long earlier = sum(MethodReport::rewrittenEarlier);
    long declared = classes.stream().filter(ClassReport::declared).count();
    String idle = idleRules.isEmpty() ? "" : "; nothing by " + String.join(", ", idleRules);
    return "%d classes: %d rewritten (%d declared), %d accesses replaced, %d before, %d left alone%s"
        .formatted(classesSeen, classesChanged, declared, rewritten, earlier, left, idle);
  }

  /// Everything, as text: per method, what was rewritten, by which rule, the size before and after,
  /// and what was left alone and why.
  public String text() {
    StringBuilder out = new StringBuilder(summary()).append('\n');
    for (Problem problem : problems) {
      out.append("PROBLEM  ").append(problem).append('\n');
    }
    if (!problems.isEmpty() && !classes.isEmpty()) {
      out.append("\nWithout ").append(problems.size() == 1 ? "it" : "them").append(":\n");
    }
    for (ClassReport type : classes) {
      out.append('\n');
      type.print(out);
    }
    return out.toString();
  }

  /// Warns of the classes without a patch; empty if there are none.
  public Optional<String> patchWarning() {
    return withoutPatch.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%s%s can carry no patch: rewritten already, while a patch is made of a class as it was compiled. Compile again, and let nothing but this specialize it"
                .formatted(
                    withoutPatch.getFirst(),
                    withoutPatch.size() == 1
                        ? ""
                        : " and %d more".formatted(withoutPatch.size() - 1)));
  }

  /// The methods that HotSpot may leave in slow code, because they are too long or have too many
  /// call sites.
  public List<String> slowMethods() {
    return classes.stream()
        .flatMap(
            type ->
                type.methods().stream()
                    .filter(method -> method.becameHuge() || method.hasTooManySites())
                    .map(method -> type.name() + "." + method.method()))
        .toList();
  }
}
