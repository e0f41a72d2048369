package dev.tigris.specializer;

import java.util.List;

/// The report on one method.
///
/// @param method name and types
/// @param bytesBefore size of its bytecode before
/// @param bytesAfter size of its bytecode after
/// @param rewrittenEarlier call sites that were there before, from an earlier run
/// @param parts how many new methods parts of it were moved to, because its call sites would have
///     kept it from being compiled or inlined
/// @param sites the most call sites that it, or one of those, has then; one with two references
///     counts twice, as it does for HotSpot
/// @param lines one for each instruction that a rule decided on
public record MethodReport(
    String method,
    int bytesBefore,
    int bytesAfter,
    int rewrittenEarlier,
    int parts,
    int sites,
    List<Line> lines) {
  /// HotSpot never compiles a method of more bytes than this (`-XX:HugeMethodLimit`).
  static final int HUGE_METHOD_BYTES = 8_000;

  /// The report on one instruction.
  ///
  /// @param line in the source, or 0 when the class file doesn't say
  /// @param outcome the rule that replaced it, or why it was left alone
  public record Line(int line, String instruction, String outcome, boolean rewritten) {
    static Line of(MethodPlan.Choice choice) {
      int line = choice.location().line();
      return switch (choice.decision()) {
        case Decision.Replace _, Decision.Rewrite _ ->
            new Line(line, choice.instruction(), choice.rule(), true);
        case Decision.Leave(String reason) -> new Line(line, choice.instruction(), reason, false);
        case Decision.Refuse(String problem) ->
            new Line(line, choice.instruction(), problem, false);
        case Decision.Pass() -> throw new IllegalStateException("a pass is not reported");
      };
    }
  }

  /// The number of instructions that were replaced.
  public long rewritten() {
    return lines.stream().filter(Line::rewritten).count();
  }

  /// Whether the method got so long that HotSpot will only interpret it.
  public boolean becameHuge() {
    return bytesBefore <= HUGE_METHOD_BYTES && bytesAfter > HUGE_METHOD_BYTES;
  }

  /// Whether the method has more call sites than C1 can compile, and could not be split, or not
  /// enough.
  public boolean hasTooManySites() {
    return sites > Split.MAX_SITES;
  }

  void print(StringBuilder out) {
    out.append("  ").append(method).append("  ").append(bytesBefore);
    if (bytesAfter != bytesBefore) {
      out.append(" -> ").append(bytesAfter);
    }
    out.append(" bytes");
    if (rewrittenEarlier > 0) {
      out.append(", ").append(rewrittenEarlier).append(" rewritten earlier");
    }
    if (parts > 0) {
      out.append(", moved to ").append(parts).append(parts == 1 ? " new method" : " new methods");
    }
    out.append('\n');
    if (hasTooManySites()) {
      out.append("    WARNING: HotSpot may leave a method with more than ")
          .append(Split.MAX_SITES)
          .append(" call sites in slow code: split this one\n");
    }
    if (becameHuge()) {
      out.append("    WARNING: HotSpot interprets methods over ")
          .append(HUGE_METHOD_BYTES)
          .append(" bytes: split this one\n");
    }
    for (Line line : lines) {
      out.append("    ");
      if (line.line != 0) {
        out.append("line ").append(line.line).append("  ");
      }
      out.append(line.instruction);
      out.append(line.rewritten ? "  by " : "  left: ").append(line.outcome).append('\n');
    }
  }
}
