package dev.tigris.specializer;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What the rules decided for one method, instruction by instruction.
///
/// Deciding comes before rewriting, because the class-file library may run a transformation twice
/// (when a jump gets too long) and because a check wants the decisions alone.
final class MethodPlan {
  /// A decision and where it was made.
  record Choice(Location location, String instruction, String rule, Decision decision) {}

  /// Call sites by the ordinal of the element that they replace.
  private final Map<Integer, DynamicCallSiteDesc> replacements = new HashMap<>();

  private final List<Choice> choices = new ArrayList<>();
  private final List<Choice> beforeSuper = new ArrayList<>();
  private int rewrittenEarlier;
  private Optional<Split> split = Optional.empty();

  private MethodPlan() {}

  static MethodPlan of(
      MethodModel method,
      ClassInfo in,
      Location start,
      List<Rule> rules,
      ClassHierarchy hierarchy) {
    MethodPlan plan = new MethodPlan();
    method
        .code()
        .ifPresent(
            code -> {
              plan.decide(code, method, in, start, rules, hierarchy);
              plan.split = Optional.of(Split.of(method, code, in, plan.replacements));
            });
    return plan;
  }

  private void decide(
      CodeModel code,
      MethodModel method,
      ClassInfo in,
      Location start,
      List<Rule> rules,
      ClassHierarchy hierarchy) {
    boolean prologue = method.methodName().equalsString("<init>");
    int pendingNews = 0;
    int ordinal = -1;
    Location location = start;
    for (CodeElement element : code) {
      ordinal++;
      switch (element) {
        case LineNumber number ->
            location =
                new Location(start.type(), start.member(), start.sourceFile(), number.line());
        case NewObjectInstruction _ -> pendingNews++;
        case InvokeDynamicInstruction dynamic -> {
          ClassDesc linkage = dynamic.bootstrapMethod().owner();
          rewrittenEarlier += linkage.equals(MemoryNames.LINKAGE) ? 1 : 0;
        }
        case FieldInstruction access -> {
          Choice choice = ask(new Site(in, location, access, hierarchy), rules);
          if (prologue
              && access.opcode() == Opcode.PUTFIELD
              && access.owner().asSymbol().equals(in.name())
              && choice.decision() instanceof Decision.Replace) {
            beforeSuper.add(choice);
          }
          record(ordinal, choice);
        }
        case InvokeInstruction call -> {
          // The first constructor call without a 'new' of its own is this(...) or super(...).
          if (call.name().equalsString("<init>") && pendingNews-- == 0) {
            prologue = false;
          }
          record(ordinal, ask(new Site(in, location, call, hierarchy), rules));
        }
        default -> {}
      }
    }
  }

  private static Choice ask(Site site, List<Rule> rules) {
    for (Rule rule : rules) {
      Decision decision = rule.decide(site);
      if (!(decision instanceof Decision.Pass)) {
        return new Choice(site.location(), describe(site.instruction()), rule.name(), decision);
      }
    }
    return new Choice(site.location(), "", "", Decision.PASS);
  }

  private void record(int ordinal, Choice choice) {
    switch (choice.decision()) {
      case Decision.Pass() -> {}
      case Decision.Replace(DynamicCallSiteDesc callSite) -> {
        replacements.put(ordinal, callSite);
        choices.add(choice);
      }
      case Decision.Leave _, Decision.Refuse _ -> choices.add(choice);
    }
  }

  private static String describe(Instruction instruction) {
    String opcode = instruction.opcode().name().toLowerCase(java.util.Locale.ROOT);
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

  boolean changesCode() {
    return !replacements.isEmpty();
  }

  /// How many new methods the method's code moves to.
  int parts() {
    return split.map(Split::parts).orElse(0);
  }

  /// Adds those methods.
  void addParts(ClassBuilder builder) {
    split.ifPresent(parts -> parts.addParts(builder));
  }

  /// Carries the plan out.
  CodeTransform transform() {
    return CodeTransform.ofStateful(
        () ->
            new CodeTransform() {
              private int ordinal = -1;
              private int movedUntil;

              @Override
              public void accept(CodeBuilder builder, CodeElement element) {
                ordinal++;
                if (ordinal < movedUntil) {
                  return;
                }
                int next = split.map(parts -> parts.callAt(ordinal, builder)).orElse(-1);
                if (next >= 0) {
                  movedUntil = next;
                  return;
                }
                DynamicCallSiteDesc callSite = replacements.get(ordinal);
                if (callSite == null) {
                  builder.with(element);
                } else {
                  builder.invokedynamic(callSite);
                }
              }
            });
  }
}
