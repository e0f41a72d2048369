package dev.tigris.specializer;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LocalVariable;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;

/// A private method that takes over a run of statements `[start, end)` from another's code.
///
/// @param replacements the call sites of that code, by the ordinal of the element that they replace
/// @param owner the class of both methods
/// @param isStatic whether both are static
/// @param reads the parameters that the run reads, by slot, and `this` where there is one
record Part(
    List<CodeElement> code,
    int start,
    int end,
    Map<Integer, DynamicCallSiteDesc> replacements,
    ClassDesc owner,
    boolean isStatic,
    String name,
    SortedMap<Integer, ClassDesc> reads) {
  /// Calls it in place of the run.
  void call(CodeBuilder builder) {
    reads.forEach((slot, type) -> builder.loadLocal(TypeKind.from(type), slot));
    if (isStatic) {
      builder.invokestatic(owner, name, type());
    } else {
      builder.invokespecial(owner, name, type());
    }
    line(start, end, builder); // the rest of it may follow
  }

  /// Adds it to its class.
  void addTo(ClassBuilder builder) {
    int flags = ClassFile.ACC_PRIVATE | (isStatic ? ClassFile.ACC_STATIC : 0);
    new AddedMember.Method(name, type(), flags, this::write).addTo(builder);
  }

  private MethodTypeDesc type() {
    List<ClassDesc> types = List.copyOf(reads.values());
    return MethodTypeDesc.of(
        ConstantDescs.CD_void, isStatic ? types : types.subList(1, types.size()));
  }

  private void write(CodeBuilder builder) {
    Map<Integer, Integer> moved = new HashMap<>();
    int next = 0;
    for (Map.Entry<Integer, ClassDesc> parameter : reads.entrySet()) {
      moved.put(parameter.getKey(), next);
      next += TypeKind.from(parameter.getValue()).slotSize();
    }
    line(0, start, builder);
    for (int ordinal = start; ordinal < end; ordinal++) {
      CodeElement element = code.get(ordinal);
      DynamicCallSiteDesc site = replacements.get(ordinal);
      if (site != null) {
        builder.invokedynamic(site);
      } else if (element instanceof LoadInstruction load) {
        builder.loadLocal(load.typeKind(), Objects.requireNonNull(moved.get(load.slot())));
      } else if (element instanceof Instruction || element instanceof LineNumber) {
        builder.with(element);
      }
    }
    builder.return_();
    moved.forEach((slot, to) -> name(slot, to, builder));
  }

  /// Writes the last line number of a range.
  private void line(int from, int to, CodeBuilder builder) {
    for (int ordinal = to - 1; ordinal >= from; ordinal--) {
      if (code.get(ordinal) instanceof LineNumber number) {
        builder.lineNumber(number.line());
        return;
      }
    }
  }

  /// Gives a parameter its name, for debuggers and for messages of exceptions.
  private void name(int slot, int to, CodeBuilder builder) {
    for (CodeElement element : code) {
      if (element instanceof LocalVariable variable && variable.slot() == slot) {
        builder.localVariable(
            to, variable.name(), variable.type(), builder.startLabel(), builder.endLabel());
        return;
      }
    }
  }
}
