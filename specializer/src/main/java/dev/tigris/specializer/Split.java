package dev.tigris.specializer;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.StackMapFrameInfo;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// Moves runs of statements out of methods that their call sites make slow. There are two kinds of
/// such methods:
///
/// - *Those with more call sites than C1 can compile.* C1 profiles the arguments of each call site,
///   and runs out of registers for it at about 290 sites in a method. It then never gathers the
///   profile that C2 waits for, and the method may stay in slow code for good. So a method with
///   more than [#MAX_SITES] calls several new ones, of at most that many.
/// - *Those that were short enough for C2 to inline, and are not any more*, as a call site takes
///   five bytes and a field access three. One run moves, and both methods are inlined.
///
/// What can move is a run of statements without jumps, that begins and ends with nothing on the
/// operand stack, writes no local variable and reads only parameters that are never written. Such a
/// run becomes a private method that takes those parameters. A method in which there is none stays
/// as it is.
final class Split {
  /// The most call sites to leave in one method; where it is split, parts have about half as many.
  static final int MAX_SITES = 256;

  private static final int MIN_PART_SITES = 32;

  /// The longest method that C2 inlines where it is called often (`-XX:FreqInlineSize`).
  static final int INLINED_BYTES = 325;

  private static final int CALL_SITE_BYTES = 5;
  private static final int CALL_BYTES = 3;

  /// By how much a switch may grow where code before it moves: its table is aligned.
  private static final int SWITCH_PADDING_BYTES = 3;

  /// What a run of elements comes to, in what there is too much of.
  private interface Measure {
    int of(int start, int end);
  }

  private final MethodModel method;
  private final ClassInfo in;
  private final Map<Integer, DynamicCallSiteDesc> replacements;
  private final BitSet rewritten;
  private final List<CodeElement> code;
  private final boolean isStatic;
  private final Map<Integer, ClassDesc> parameters;
  private final List<Part> parts = new ArrayList<>();

  private Split(
      MethodModel method,
      CodeModel code,
      ClassInfo in,
      Map<Integer, DynamicCallSiteDesc> replacements,
      BitSet rewritten) {
    this.method = method;
    this.in = in;
    this.replacements = replacements;
    this.rewritten = rewritten;
    this.code = code.elementList();
    this.isStatic = method.flags().has(AccessFlag.STATIC);
    this.parameters = parameters();
  }

  /// Looks for runs to move.
  ///
  /// @param replacements the call sites, by the ordinal of the element that they replace
  /// @param rewritten the elements that other code takes the place of, which stay where they are
  static Split of(
      MethodModel method,
      CodeModel code,
      ClassInfo in,
      Map<Integer, DynamicCallSiteDesc> replacements,
      BitSet rewritten) {
    Split split = new Split(method, code, in, replacements, rewritten);
    // In a constructor 'this' is no object yet at first, and an interface would need other calls.
    // A part is called on 'this', which compilers leave in its slot.
    boolean hasThis = split.isStatic || split.parameters.containsKey(0);
    if (hasThis && !method.methodName().stringValue().startsWith("<") && !in.isInterface()) {
      split.find(code);
    }
    return split;
  }

  /// How many methods were made; 0 if the method stays whole.
  int parts() {
    return parts.size();
  }

  /// The most call sites that one method has afterwards: this one, or one that a part is moved to.
  int sites() {
    int left = sites(0, code.size());
    int most = 0;
    for (Part part : parts) {
      int moved = sites(part.start(), part.end());
      left -= moved;
      most = Math.max(most, moved);
    }
    return Math.max(most, left);
  }

  /// The parameters that are never written, by slot.
  private Map<Integer, ClassDesc> parameters() {
    Map<Integer, ClassDesc> found = new HashMap<>();
    int slot = 0;
    if (!isStatic) {
      found.put(slot++, in.name());
    }
    for (ClassDesc type : method.methodTypeSymbol().parameterList()) {
      found.put(slot, type);
      slot += TypeKind.from(type).slotSize();
    }
    for (CodeElement element : code) {
      if (element instanceof StoreInstruction store) {
        found.remove(store.slot());
      } else if (element instanceof IncrementInstruction increment) {
        found.remove(increment.slot());
      }
    }
    return found;
  }

  /// Call sites in a range; one with two references counts twice, as C1 profiles both.
  private int sites(int start, int end) {
    int sites = 0;
    for (int ordinal = start; ordinal < end; ordinal++) {
      DynamicCallSiteDesc site = replacements.get(ordinal);
      if (site != null) {
        List<ClassDesc> types = site.invocationType().parameterList();
        sites += (int) types.stream().filter(type -> !type.isPrimitive()).count();
      }
    }
    return sites;
  }

  private void find(CodeModel model) {
    int sites = sites(0, code.size());
    if (sites > MAX_SITES) {
      int wanted = Math.ceilDiv(sites, Math.ceilDiv(sites, MAX_SITES / 2));
      find(model, this::sites, MIN_PART_SITES, wanted, Integer.MAX_VALUE);
      return;
    }
    int switches = (int) code.stream().filter(Split::isSwitch).count();
    int excess = bytes(0, code.size()) + SWITCH_PADDING_BYTES * switches - INLINED_BYTES;
    if (MethodPlan.codeBytes(method) <= INLINED_BYTES && excess > 0 && !replacements.isEmpty()) {
      find(model, this::saved, excess, excess, 1);
    }
  }

  private static int bytes(CodeElement element) {
    return element instanceof Instruction instruction ? instruction.sizeInBytes() : 0;
  }

  private static boolean isSwitch(CodeElement element) {
    return element instanceof TableSwitchInstruction || element instanceof LookupSwitchInstruction;
  }

  /// What a range takes with its call sites. Where a rule gives other code, how long that is cannot
  /// be told, and what it replaces counts.
  private int bytes(int start, int end) {
    int bytes = 0;
    for (int ordinal = start; ordinal < end; ordinal++) {
      bytes += replacements.containsKey(ordinal) ? CALL_SITE_BYTES : bytes(code.get(ordinal));
    }
    return bytes;
  }

  /// By how much the method is shorter without a run of statements; 0 if the run itself would be
  /// too long to be inlined.
  private int saved(int start, int end) {
    int bytes = bytes(start, end);
    int loads = reads(start, end).keySet().stream().mapToInt(slot -> slot < 4 ? 1 : 2).sum();
    return bytes < INLINED_BYTES ? bytes - loads - CALL_BYTES : 0;
  }

  /// Finds runs to move.
  ///
  /// @param least what a run has to come to
  /// @param wanted what is enough for a run
  /// @param most how many runs to move
  private void find(CodeModel model, Measure measure, int least, int wanted, int most) {
    Set<Label> empty = labelsWithEmptyStack(model);
    boolean known = true;
    int height = 0;
    int start = -1;
    int end = -1;
    for (int ordinal = 0; ordinal < code.size() && parts.size() < most; ordinal++) {
      CodeElement element = code.get(ordinal);
      boolean inside = start >= 0;
      if (element instanceof LabelTarget target) {
        close(start, end, measure, least);
        start = -1;
        known = known || empty.contains(target.label());
        height = empty.contains(target.label()) ? 0 : height;
      } else if (element instanceof Instruction instruction) {
        if (known && height == 0 && movable(ordinal, instruction) && !inside) {
          start = ordinal;
          end = ordinal;
        }
        OptionalInt effect = StackEffect.of(instruction);
        known = known && effect.isPresent();
        height += effect.orElse(0);
        if (!known || !movable(ordinal, instruction)) {
          close(start, end, measure, least);
          start = -1;
        } else if (height == 0) {
          end = ordinal + 1;
          if (start >= 0 && measure.of(start, end) >= wanted) {
            close(start, end, measure, least);
            start = -1;
          }
        }
      }
    }
    close(start, end, measure, least);
  }

  private Set<Label> labelsWithEmptyStack(CodeModel model) {
    Set<Label> labels = new HashSet<>();
    model
        .findAttribute(Attributes.stackMapTable())
        .ifPresent(
            table -> {
              for (StackMapFrameInfo frame : table.entries()) {
                if (frame.stack().isEmpty()) {
                  labels.add(frame.target());
                }
              }
            });
    return labels;
  }

  private boolean movable(int ordinal, Instruction instruction) {
    if (rewritten.get(ordinal)) {
      return false;
    }
    return switch (instruction) {
      case LoadInstruction load -> parameters.containsKey(load.slot());
      case StoreInstruction _, IncrementInstruction _, BranchInstruction _, MonitorInstruction _ ->
          false;
      case InvokeInstruction call ->
          call.opcode() != Opcode.INVOKESPECIAL
              || call.name().equalsString(ConstantDescs.INIT_NAME);
      default -> StackEffect.of(instruction).isPresent();
    };
  }

  private void close(int start, int end, Measure measure, int least) {
    if (start >= 0 && measure.of(start, end) >= least) {
      parts.add(
          new Part(
              code, start, end, replacements, in.name(), isStatic, freeName(), reads(start, end)));
    }
  }

  /// The parameters that a run needs, by slot. A part of an instance method is one, too: a static
  /// method would wait for the class to be initialized, and name the class in its type, which a
  /// hidden class cannot.
  private SortedMap<Integer, ClassDesc> reads(int start, int end) {
    SortedMap<Integer, ClassDesc> reads = new TreeMap<>();
    if (!isStatic) {
      reads.put(0, in.name());
    }
    for (CodeElement element : code.subList(start, end)) {
      if (element instanceof LoadInstruction load) {
        reads.put(load.slot(), Objects.requireNonNull(parameters.get(load.slot())));
      }
    }
    return reads;
  }

  /// If a part begins at an element, calls it and returns the ordinal after it; otherwise -1.
  int callAt(int ordinal, CodeBuilder builder) {
    for (Part part : parts) {
      if (part.start() == ordinal) {
        part.call(builder);
        return part.end();
      }
    }
    return -1;
  }

  /// Adds the new methods.
  void addParts(ClassBuilder builder) {
    parts.forEach(part -> part.addTo(builder));
  }

  /// A name that no method of the class has: it may have parts already, that other rules made.
  private String freeName() {
    List<MethodModel> methods = method.parent().orElseThrow().methods();
    Set<String> taken = new HashSet<>();
    methods.forEach(each -> taken.add(each.methodName().stringValue()));
    parts.forEach(part -> taken.add(part.name()));
    // The index tells overloads apart.
    String prefix =
        "tigris$" + method.methodName().stringValue() + "$" + methods.indexOf(method) + "$";
    int number = 0;
    while (taken.contains(prefix + number)) {
      number++;
    }
    return prefix + number;
  }
}
