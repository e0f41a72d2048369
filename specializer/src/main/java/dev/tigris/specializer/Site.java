package dev.tigris.specializer;

import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.LabelTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// One instruction in its context: what a [Rule] decides on.
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

  /// Where that is, for messages.
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

  /// The instruction and those that follow it: as many as there are up to `most`, and up to the
  /// next place that a jump leads to, or where the range of an exception handler begins or ends. In
  /// between, a sequence can only be left by an exception or by its own jumps.
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
        "%s: a rule replaces %d instructions, and there are %d fewer before the next jump target"
            .formatted(location, instructions, left));
  }
}
