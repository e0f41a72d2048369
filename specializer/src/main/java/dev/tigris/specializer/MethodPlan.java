package dev.tigris.specializer;

import java.io.UncheckedIOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// What the rules decided for one method, instruction by instruction.
///
/// Deciding comes before rewriting, because the class-file library may run a transformation twice
/// (when a jump gets too long) and because a check wants the decisions alone.
final class MethodPlan {
  /// A decision and where it was made.
  ///
  /// @param required whether the code is wrong without it
  record Choice(
      Location location, String instruction, String rule, boolean required, Decision decision) {
    boolean isChange() {
      return decision instanceof Decision.Replace || decision instanceof Decision.Rewrite;
    }
  }

  /// Code in place of the elements up to `end`.
  private record Passage(int end, Consumer<CodeBuilder> code) {}

  private final List<Rule> rules;
  private final List<CodeElement> code;

  /// Call sites by the ordinal of the element that they replace.
  private final Map<Integer, DynamicCallSiteDesc> replacements = new HashMap<>();

  /// Other code by the ordinal of the first element that it replaces.
  private final Map<Integer, Passage> passages = new HashMap<>();

  private final Map<String, AddedMember> members = new LinkedHashMap<>();
  private final List<Choice> choices = new ArrayList<>();
  private final List<Choice> beforeSuper = new ArrayList<>();
  private int rewrittenEarlier;
  private Optional<Split> split = Optional.empty();

  private MethodPlan(List<Rule> rules, List<CodeElement> code) {
    this.rules = rules;
    this.code = code;
  }

  /// Name and descriptor, which tell the methods of a class apart.
  static String key(MethodModel method) {
    return method.methodName().stringValue() + method.methodType().stringValue();
  }

  /// How long the code of a method is; 0 if it has none.
  static int codeBytes(MethodModel method) {
    return method.findAttribute(Attributes.code()).map(CodeAttribute::codeLength).orElse(0);
  }

  static MethodPlan of(
      MethodModel method,
      ClassInfo in,
      Location start,
      List<Rule> rules,
      ClassHierarchy hierarchy) {
    Optional<CodeModel> code = method.code();
    if (code.isEmpty()) {
      return new MethodPlan(rules, List.of());
    }
    MethodPlan plan = new MethodPlan(rules, code.get().elementList());
    plan.decide(method, in, start, hierarchy);
    plan.split =
        Optional.of(Split.of(method, code.get(), in, plan.replacements, plan.rewrittenElements()));
    return plan;
  }

  private void decide(MethodModel method, ClassInfo in, Location start, ClassHierarchy hierarchy) {
    Set<Label> entries = JumpTargets.of(code);
    boolean prologue = method.methodName().equalsString("<init>");
    int pendingNews = 0;
    int decidedUntil = 0;
    Location location = start;
    for (int ordinal = 0; ordinal < code.size(); ordinal++) {
      CodeElement element = code.get(ordinal);
      if (element instanceof LineNumber number) {
        location = new Location(start.type(), start.member(), start.sourceFile(), number.line());
      }
      if (!(element instanceof Instruction instruction)) {
        continue;
      }
      if (instruction instanceof NewObjectInstruction) {
        pendingNews++;
      } else if (instruction instanceof InvokeInstruction call
          && call.name().equalsString("<init>")
          && pendingNews-- == 0) {
        // The first constructor call without a 'new' of its own is this(...) or super(...).
        prologue = false;
      } else if (instruction instanceof InvokeDynamicInstruction dynamic) {
        ClassDesc linkage = dynamic.bootstrapMethod().owner();
        rewrittenEarlier += linkage.equals(MemoryNames.LINKAGE) ? 1 : 0;
      }
      if (ordinal >= decidedUntil) {
        Site site = new Site(in, method, location, code, ordinal, entries, hierarchy);
        Choice choice = ask(site);
        if (prologue && isWriteOf(in, choice, instruction)) {
          beforeSuper.add(choice);
        }
        decidedUntil = record(ordinal, site, choice);
      }
    }
  }

  private static boolean isWriteOf(ClassInfo in, Choice choice, Instruction instruction) {
    return instruction instanceof FieldInstruction access
        && access.opcode() == Opcode.PUTFIELD
        && access.owner().asSymbol().equals(in.name())
        && choice.decision() instanceof Decision.Replace;
  }

  private Choice ask(Site site) {
    for (Rule rule : rules) {
      Decision decision = decision(rule, site);
      if (!(decision instanceof Decision.Pass)) {
        String what = describe(site.instruction());
        if (decision instanceof Decision.Rewrite rewrite && rewrite.instructions() > 1) {
          what += " and " + (rewrite.instructions() - 1) + " more";
        }
        return new Choice(site.location(), what, rule.name(), rule.isRequired(), decision);
      }
    }
    return new Choice(site.location(), "", "", false, Decision.PASS);
  }

  private static Decision decision(Rule rule, Site site) {
    try {
      return rule.decide(site);
    } catch (UncheckedIOException e) {
      throw e; // of a class file that cannot be read, for any rule
    } catch (RuntimeException e) {
      throw new IllegalStateException(
          "%s: the rule %s fails: %s".formatted(site.location(), rule.name(), e), e);
    }
  }

  /// Takes a decision into the plan.
  ///
  /// @return the ordinal of the next element to decide on
  private int record(int ordinal, Site site, Choice choice) {
    if (!(choice.decision() instanceof Decision.Pass)) {
      choices.add(choice);
    }
    switch (choice.decision()) {
      case Decision.Replace(DynamicCallSiteDesc callSite) -> replacements.put(ordinal, callSite);
      case Decision.Rewrite rewrite -> {
        int end = site.endOf(rewrite.instructions());
        passages.put(ordinal, new Passage(end, rewrite.code()));
        rewrite.members().forEach(member -> members.putIfAbsent(member.key(), member));
        return end;
      }
      case Decision.Pass _, Decision.Leave _, Decision.Refuse _ -> {}
    }
    return ordinal + 1;
  }

  private BitSet rewrittenElements() {
    BitSet elements = new BitSet();
    passages.forEach((start, passage) -> elements.set(start, passage.end));
    return elements;
  }

  /// An instruction as the report names it.
  static String describe(Instruction instruction) {
    String opcode = instruction.opcode().name().toLowerCase(Locale.ROOT);
    return switch (instruction) {
      case FieldInstruction access ->
          opcode
              + " "
              + Location.nameOf(access.owner().asSymbol())
              + "."
              + access.name().stringValue();
      case InvokeInstruction call ->
          opcode
              + " "
              + call.owner().asSymbol().displayName()
              + "."
              + call.name().stringValue()
              + call.typeSymbol().displayDescriptor();
      default -> opcode;
    };
  }

  /// The decisions other than passes, in the order of the code.
  List<Choice> choices() {
    return choices;
  }

  /// Writes to the class's own fields that stand before the call of `super(...)`. They are to the
  /// object under construction, or to another one of the class; only the verifier can tell.
  List<Choice> beforeSuper() {
    return beforeSuper;
  }

  /// How many call sites of ours the method had already.
  int rewrittenEarlier() {
    return rewrittenEarlier;
  }

  /// Whether a rule has done more than to leave or pass every instruction.
  boolean changesOrRefuses() {
    return changesCode()
        || choices.stream().anyMatch(choice -> choice.decision() instanceof Decision.Refuse);
  }

  /// Whether a rule decided on anything in the method.
  boolean isDecidedBy(Rule rule) {
    return choices.stream().anyMatch(choice -> choice.rule().equals(rule.name()));
  }

  /// The rules that change the method.
  Set<String> changedBy() {
    return choices.stream().filter(Choice::isChange).map(Choice::rule).collect(Collectors.toSet());
  }

  boolean changesCode() {
    return !replacements.isEmpty() || !passages.isEmpty();
  }

  /// What the class needs for it, by key.
  Map<String, AddedMember> members() {
    return members;
  }

  /// How many new methods the method's code moves to.
  int parts() {
    return split.map(Split::parts).orElse(0);
  }

  /// As [Split#sites()].
  int sites() {
    return split.map(Split::sites).orElse(0);
  }

  /// Adds those methods.
  void addParts(ClassBuilder builder) {
    split.ifPresent(parts -> parts.addParts(builder));
  }

  /// Carries the plan out.
  CodeTransform transform() {
    return CodeTransform.ofStateful(Carrying::new);
  }

  /// Goes through the code once.
  private final class Carrying implements CodeTransform {
    private final List<CodeElement> handlers = new ArrayList<>();
    private int ordinal = -1;
    private int doneUntil;

    @Override
    public void accept(CodeBuilder builder, CodeElement element) {
      ordinal++;
      if (ordinal < doneUntil) {
        return;
      }
      int next = split.map(parts -> parts.callAt(ordinal, builder)).orElse(-1);
      if (next >= 0) {
        doneUntil = next;
        return;
      }
      DynamicCallSiteDesc callSite = replacements.get(ordinal);
      Passage passage = passages.get(ordinal);
      if (callSite != null) {
        builder.invokedynamic(callSite);
      } else if (passage != null) {
        // Lines and the ranges of variables keep their order, and begin with the new code.
        code.subList(ordinal, passage.end).stream()
            .filter(inside -> !(inside instanceof Instruction))
            .forEach(builder::with);
        passage.code.accept(builder);
        doneUntil = passage.end;
      } else if (element instanceof ExceptionCatch && !passages.isEmpty()) {
        handlers.add(element);
      } else {
        builder.with(element);
      }
    }

    /// The first handler of a table that covers an instruction is taken: those in new code are
    /// inside of those around it.
    @Override
    public void atEnd(CodeBuilder builder) {
      handlers.forEach(builder::with);
    }
  }
}
