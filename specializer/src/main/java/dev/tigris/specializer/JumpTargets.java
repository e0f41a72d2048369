package dev.tigris.specializer;

import java.lang.classfile.CodeElement;
import java.lang.classfile.Label;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.DiscontinuedInstruction.JsrInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The places in a method's code where a straight line begins or ends.
final class JumpTargets {
  private JumpTargets() {}

  /// The labels that jumps lead to, and those that bound or begin exception handlers.
  static Set<Label> of(List<CodeElement> code) {
    Set<Label> targets = new HashSet<>();
    for (CodeElement element : code) {
      switch (element) {
        case BranchInstruction branch -> targets.add(branch.target());
        case JsrInstruction call -> targets.add(call.target());
        case LookupSwitchInstruction choice -> add(targets, choice.defaultTarget(), choice.cases());
        case TableSwitchInstruction choice -> add(targets, choice.defaultTarget(), choice.cases());
        case ExceptionCatch handler -> {
          targets.add(handler.tryStart());
          targets.add(handler.tryEnd());
          targets.add(handler.handler());
        }
        default -> {}
      }
    }
    return targets;
  }

  private static void add(Set<Label> targets, Label otherwise, List<SwitchCase> cases) {
    targets.add(otherwise);
    cases.forEach(one -> targets.add(one.target()));
  }
}
