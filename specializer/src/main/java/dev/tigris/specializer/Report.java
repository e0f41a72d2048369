package dev.tigris.specializer;

import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/// The report on a set of classes.
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
  /// The number of instructions that were replaced.
  public long rewritten() {
    return problems.isEmpty() ? sum(MethodReport::rewritten) : 0;
  }

  /// The number of instructions that a rule left alone, for a reason that the report gives.
  public long leftAlone() {
    return sum(method -> method.lines().size() - method.rewritten());
  }

  private long sum(ToLongFunction<MethodReport> count) {
    return classes.stream().flatMap(type -> type.methods().stream()).mapToLong(count).sum();
  }

  /// The report in one line.
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
    return ("%d classes: %d rewritten (%d declared), %d accesses replaced, %d before, %d "
            + "left alone%s")
        .formatted(classesSeen, classesChanged, declared, rewritten, earlier, left, idle);
  }

  /// The whole report as text. It lists for each method the instructions that were rewritten, by
  /// which rule, those left alone and why, and the size before and after.
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

  /// A warning about the classes without a patch; empty if there are none.
  public Optional<String> patchWarning() {
    return withoutPatch.isEmpty()
        ? Optional.empty()
        : Optional.of(
            ("%s%s cannot carry a patch, because the class file was rewritten before. "
                    + "Compile it again, and specialize it with this command only")
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
