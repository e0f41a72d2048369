package dev.tigris.specializer;

import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.LabelTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// An instruction in its context, on which a [Rule] decides.
public final class Site {
  private final ClassInfo in;
  private final MethodModel method;
  private final Location location;
  private final List<CodeElement> code;
  private final int index;
  private final Set<Label> entries;
  private final ClassHierarchy hierarchy;

  Site(
      ClassInfo in,
      MethodModel method,
      Location location,
      List<CodeElement> code,
      int index,
      Set<Label> entries,
      ClassHierarchy hierarchy) {
    this.in = in;
    this.method = method;
    this.location = location;
    this.code = code;
    this.index = index;
    this.entries = entries;
    this.hierarchy = hierarchy;
  }

  /// The class that the instruction stands in.
  public ClassInfo in() {
    return in;
  }

  /// The method that the instruction stands in.
  public MethodModel method() {
    return method;
  }

  /// The place of the instruction, for messages.
  public Location location() {
    return location;
  }

  /// Answers questions about the classes that the instruction mentions.
  public ClassHierarchy hierarchy() {
    return hierarchy;
  }

  /// The instruction.
  public Instruction instruction() {
    return (Instruction) code.get(index);
  }

  /// The instruction and those that follow it, at most `most`. The sequence ends before a jump
  /// target, and where the range of an exception handler begins or ends: only an exception or a
  /// jump of its own leaves it before its end.
  public List<Instruction> sequence(int most) {
    List<Instruction> sequence = new ArrayList<>();
    for (int at = index; at < code.size() && sequence.size() < most; at++) {
      CodeElement element = code.get(at);
      if (element instanceof LabelTarget target && entries.contains(target.label())) {
        break;
      }
      if (element instanceof Instruction instruction) {
        sequence.add(instruction);
      }
    }
    return sequence;
  }

  /// The index after so many instructions of the sequence.
  int endOf(int instructions) {
    int left = instructions;
    for (int at = index; at < code.size(); at++) {
      if (code.get(at) instanceof LabelTarget target && entries.contains(target.label())) {
        break;
      }
      if (code.get(at) instanceof Instruction && --left == 0) {
        return at + 1;
      }
    }
    throw new IllegalArgumentException(
        "%s: a rule replaces %d instructions, but %d of them lie behind the next jump target"
            .formatted(location, instructions, left));
  }
}
