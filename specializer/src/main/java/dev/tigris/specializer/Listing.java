package dev.tigris.specializer;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/// The methods that a specializer changed, before and after, for people to read.
///
/// ```text
/// app.User.use(Trade)long
///   before                                   after
///     line 3                                   line 3
///     aload_1                                  aload_1
///     getfield app.Trade.id                    invokedynamic get(Trade)long [app.Trade, id]
///                                                id.get (Pso)long, 24 bytes: peek long @0
/// ```
///
/// Thread rule: as that of what it asks for recipes.
public final class Listing {
  /// Tells what a call site links to.
  public interface Recipes {
    /// The recipe of a call site that links to a field of a class.
    ///
    /// @param owner the class that the site names
    /// @param operation [MemoryNames#GET] or [MemoryNames#SET]
    /// @return nothing if that cannot be told
    Optional<String> find(ClassDesc owner, String field, String operation);

    /// The bytes of machine code of a call site where it is inlined.
    ///
    /// @return empty if it is unknown or not asked for
    default OptionalInt machineCodeBytes(DynamicCallSiteDesc site) {
      return OptionalInt.empty();
    }
  }

  private static final int COLUMN = 44;

  private final Recipes recipes;

  /// A listing that asks `recipes` for the meaning of each call site.
  public Listing(Recipes recipes) {
    this.recipes = recipes;
  }

  /// The methods of a class that differ, and those that are new.
  public String of(byte[] before, byte[] after) {
    ClassModel old = ClassFile.of().parse(before);
    ClassModel now = ClassFile.of().parse(after);
    Map<String, MethodModel> methods = new HashMap<>();
    old.methods().forEach(method -> methods.put(MethodPlan.key(method), method));
    StringBuilder out = new StringBuilder();
    for (MethodModel method : now.methods()) {
      List<String> was =
          Optional.ofNullable(methods.get(MethodPlan.key(method)))
              .map(this::lines)
              .orElse(List.of());
      List<String> is = lines(method);
      if (!was.equals(is)) {
        out.append(Location.nameOf(now.thisClass().asSymbol())).append('.');
        out.append(method.methodName().stringValue());
        out.append(method.methodTypeSymbol().displayDescriptor()).append('\n');
        print(was, is, out);
      }
    }
    return out.toString();
  }

  /// The two lists side by side, what both have on one line.
  private static void print(List<String> before, List<String> after, StringBuilder out) {
    row("  before", "  after", out);
    int left = 0;
    List<String> added = new ArrayList<>();
    for (String line : after) {
      int match = before.subList(left, before.size()).indexOf(line);
      if (match < 0) {
        added.add(line);
      } else {
        rows(before.subList(left, left + match), added, out);
        row(line, line, out);
        left += match + 1;
        added.clear();
      }
    }
    rows(before.subList(left, before.size()), added, out);
    out.append('\n');
  }

  private static void rows(List<String> left, List<String> right, StringBuilder out) {
    for (int index = 0; index < Math.max(left.size(), right.size()); index++) {
      row(
          index < left.size() ? left.get(index) : "",
          index < right.size() ? right.get(index) : "",
          out);
    }
  }

  private static void row(String left, String right, StringBuilder out) {
    out.append((left + " ".repeat(Math.max(1, COLUMN - left.length())) + right).stripTrailing());
    out.append('\n');
  }

  private List<String> lines(MethodModel method) {
    Optional<CodeModel> code = method.code();
    if (code.isEmpty()) {
      return List.of();
    }
    List<CodeElement> elements = code.get().elementList();
    Set<Label> targets = JumpTargets.of(elements);
    Map<Label, String> names = new HashMap<>();
    for (CodeElement element : elements) {
      if (element instanceof LabelTarget target && targets.contains(target.label())) {
        names.put(target.label(), "L" + (names.size() + 1));
      }
    }
    List<String> lines = new ArrayList<>();
    for (CodeElement element : elements) {
      switch (element) {
        case LineNumber number -> lines.add("    line " + number.line());
        case LabelTarget target when names.containsKey(target.label()) ->
            lines.add("   " + names.get(target.label()) + ":");
        case ExceptionCatch handler ->
            lines.add(
                "    from %s to %s catch %s at %s"
                    .formatted(
                        names.get(handler.tryStart()),
                        names.get(handler.tryEnd()),
                        handler
                            .catchType()
                            .map(type -> type.asSymbol().displayName())
                            .orElse("all"),
                        names.get(handler.handler())));
        case Instruction instruction -> {
          lines.add("    " + describe(instruction, names));
          behind(instruction).forEach(line -> lines.add("      " + line));
        }
        default -> {}
      }
    }
    return lines;
  }

  private static String describe(Instruction instruction, Map<Label, String> names) {
    String opcode = instruction.opcode().name().toLowerCase(Locale.ROOT);
    return switch (instruction) {
      case FieldInstruction _, InvokeInstruction _ -> MethodPlan.describe(instruction);
      case InvokeDynamicInstruction site ->
          opcode
              + " "
              + site.name().stringValue()
              + site.typeSymbol().displayDescriptor()
              + " "
              + Arrays.toString(
                  site.bootstrapArgs().stream()
                      .map(
                          argument ->
                              argument instanceof ClassDesc type ? Location.nameOf(type) : argument)
                      .toArray());
      case BranchInstruction branch -> opcode + " " + names.get(branch.target());
      case ConstantInstruction.LoadConstantInstruction constant ->
          opcode + " " + describe(constant.constantValue());
      case ConstantInstruction.ArgumentConstantInstruction constant ->
          opcode + " " + constant.constantValue();
      case LoadInstruction load when load.sizeInBytes() > 1 -> opcode + " " + load.slot();
      case StoreInstruction store when store.sizeInBytes() > 1 -> opcode + " " + store.slot();
      case IncrementInstruction increment ->
          opcode + " " + increment.slot() + " by " + increment.constant();
      case NewObjectInstruction made -> opcode + " " + Location.nameOf(made.className().asSymbol());
      case TypeCheckInstruction check -> opcode + " " + check.type().asSymbol().displayName();
      default -> opcode;
    };
  }

  private static String describe(ConstantDesc constant) {
    return switch (constant) {
      case ClassDesc type when type.isClassOrInterface() -> Location.nameOf(type);
      case String text -> '"' + text.replaceAll("\\p{Cc}", "?") + '"';
      default -> constant.toString();
    };
  }

  /// What is behind a call site of ours: its recipe, where it does not say that itself, and size.
  private List<String> behind(Instruction instruction) {
    if (!(instruction instanceof InvokeDynamicInstruction site)
        || !site.bootstrapMethod().owner().equals(MemoryNames.LINKAGE)) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    if (site.bootstrapArgs().size() == 2
        && site.bootstrapArgs().getFirst() instanceof ClassDesc owner
        && site.bootstrapArgs().getLast() instanceof String field) {
      recipes.find(owner, field, site.name().stringValue()).ifPresent(lines::add);
    }
    DynamicCallSiteDesc named =
        DynamicCallSiteDesc.of(
            site.bootstrapMethod(),
            site.name().stringValue(),
            site.typeSymbol(),
            site.bootstrapArgs().toArray(ConstantDesc[]::new));
    recipes.machineCodeBytes(named).ifPresent(bytes -> lines.add(bytes + " bytes of machine code"));
    return lines;
  }
}
