// Over 400 lines: one class file from its bytes to its bytes, and what can be wrong on the way.
package dev.tigris.specializer;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.ConstantDynamicEntry;
import java.lang.classfile.constantpool.FieldRefEntry;
import java.lang.classfile.constantpool.InterfaceMethodRefEntry;
import java.lang.classfile.constantpool.InvokeDynamicEntry;
import java.lang.classfile.constantpool.MethodRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.constant.ClassDesc;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/// Rewrites class files by an ordered list of rules.
///
/// ```java
/// try (ClassPath path = new ClassPath(paths)) {
///   Specializer specializer = new Specializer(new ClassHierarchy(path), Rule.standard());
///   Specialized result = specializer.specialize(classFile);
/// }
/// ```
///
/// The result depends on the class file and the classes it mentions, and on nothing else; a class
/// that has been specialized comes out unchanged. May be used by several threads.
public final class Specializer {
  /// The property of a JVM whose classes may have been specialized when they were loaded, so that
  /// their class files do not say what they are. `memory` knows it by name.
  static final String AT_LOAD = "tigris.specialized.at.load";

  private final ClassHierarchy hierarchy;
  private final List<Rule> rules;

  /// Those that are not of [Rule#standard].
  private final List<Rule> added;

  private final ClassFile classFiles;

  /// A specializer that asks `rules` in their order. Without `pso-field` among them it refuses
  /// classes that use fields of objects, unless all of those are replaced by other rules.
  public Specializer(ClassHierarchy hierarchy, List<Rule> rules) {
    this.hierarchy = hierarchy;
    this.rules = complete(rules);
    this.added =
        rules.stream()
            .filter(rule -> !(rule instanceof OwnRule) || rule instanceof StructureRule)
            .toList();
    this.classFiles =
        ClassFile.of(ClassHierarchyResolverOption.of(hierarchy.resolver()), RuleMark.OPTION);
  }

  private static List<Rule> complete(List<Rule> rules) {
    List<Rule> complete = new ArrayList<>(rules);
    if (rules.stream()
        .noneMatch(rule -> rule instanceof PsoFieldRule || rule instanceof MissingFieldRule)) {
      complete.add(new MissingFieldRule());
    }
    return List.copyOf(complete);
  }

  /// One with the same rules, for which the classes in `nearer` take the place of their namesakes.
  Specializer seeing(ClassSource nearer) {
    return new Specializer(hierarchy.seeing(nearer), rules);
  }

  /// As [ClassHierarchy#learnedLate].
  long learnedLate() {
    return hierarchy.learnedLate();
  }

  /// Specializes one class file.
  ///
  /// @throws IllegalArgumentException if the bytes are no class file
  public Specialized specialize(byte[] classFile) {
    try {
      return specialized(classFile);
    } catch (RuntimeException e) {
      throw explained(e, classFile);
    }
  }

  /// The class-file library reads as late as it can, and what it says of damaged bytes is whatever
  /// exception comes of them. Having it read and verify everything tells those from mistakes of
  /// ours, or of a rule.
  private RuntimeException explained(RuntimeException e, byte[] classFile) {
    try {
      ClassModel model = classFiles.parse(classFile);
      ClassInfo.of(model);
      model.methods().forEach(MethodModel::methodTypeSymbol);
      model.constantPool().forEach(Specializer::read);
      classFiles.transformClass(
          model,
          ClassTransform.transformingMethodBodies((builder, element) -> builder.with(element)));
      List<String> errors = errors(classFile);
      if (!errors.isEmpty()) {
        return damaged(errors.getFirst(), e);
      }
      // Thrown as it is, the caller would take the class for damaged, and leave it alone.
      return e instanceof IllegalArgumentException
          ? new IllegalStateException(model.thisClass().asInternalName() + ": " + e.getMessage(), e)
          : e;
    } catch (RuntimeException found) {
      int newest = Runtime.version().feature();
      return ClassFiles.release(classFile) > newest
          ? new IllegalArgumentException(
              ("the class file is for Java %d, and this is Java %d: run a newer Java, "
                      + "or compile the class with --release %d")
                  .formatted(ClassFiles.release(classFile), newest, newest),
              found)
          : damaged(found.toString(), found);
    }
  }

  /// Reads what a constant refers to and says.
  private static void read(PoolEntry entry) {
    Object _ =
        switch (entry) {
          case ClassEntry type -> type.asSymbol();
          case FieldRefEntry field -> field.typeSymbol();
          case MethodRefEntry method -> method.typeSymbol();
          case InterfaceMethodRefEntry method -> method.typeSymbol();
          case InvokeDynamicEntry site -> site.asSymbol();
          case ConstantDynamicEntry constant -> constant.asSymbol();
          default -> entry;
        };
  }

  private static IllegalArgumentException damaged(String how, RuntimeException cause) {
    return new IllegalArgumentException("the class file is damaged: " + how, cause);
  }

  private Specialized specialized(byte[] classFile) {
    ClassModel model = classFiles.parse(classFile);
    ClassInfo info = ClassInfo.of(model);
    hierarchy.learn(info);
    boolean declare = hierarchy.isPso(info.name()) && !info.isSpecialized();

    List<Problem> problems = new ArrayList<>();
    ClassModel compiled = model;
    if (declare) {
      problems.addAll(PsoDeclaration.problems(info, sourceFile(model), hierarchy));
      model = BodylessMethods.filled(classFiles, model, info, hierarchy);
    }
    Map<String, MethodPlan> plans = plan(model, info);
    if (declare) {
      problems.addAll(
          BodylessMethods.problems(compiled, info, sourceFile(model), hierarchy, rules, plans));
    }
    problems.addAll(refusals(plans));
    problems.addAll(memberClashes(model, plans));
    problems.addAll(tooOld(model, plans, declare));
    boolean change = declare || plans.values().stream().anyMatch(MethodPlan::changesCode);
    byte[] result = classFile;
    if (change && problems.isEmpty()) {
      try {
        result = rewrite(model, info, plans, declare);
        problems.addAll(verify(info, sourceFile(model), classFile, result, plans));
      } catch (IllegalArgumentException e) {
        problems.add(unwritable(model, info, plans, e));
      }
    }
    if (!problems.isEmpty()) {
      result = classFile;
    }
    boolean changed = change && problems.isEmpty();
    ClassReport report =
        ClassReport.of(compiled, classFiles.parse(result), plans, declare && changed);
    // Only a build asks for these two, and an agent has many classes that nothing is about.
    BooleanSupplier before =
        () ->
            info.isSpecialized()
                || !RuleMark.on(compiled).isEmpty()
                || plans.values().stream().anyMatch(plan -> plan.rewrittenEarlier() > 0);
    return new Specialized(
        result, changed, report, problems, before, () -> atWork(compiled, plans));
  }

  /// The added rules that have changed a class, in this run or an earlier one.
  private Set<String> atWork(ClassModel model, Map<String, MethodPlan> plans) {
    Set<String> changing = changing(plans);
    RuleMark mark = RuleMark.on(model);
    return added.stream()
        .filter(
            rule -> changing.contains(rule.name()) || mark.isChangedBy(rule) || says(rule, model))
        .map(Rule::name)
        .collect(Collectors.toSet());
  }

  private static Set<String> changing(Map<String, MethodPlan> plans) {
    return plans.values().stream()
        .flatMap(plan -> plan.changedBy().stream())
        .collect(Collectors.toSet());
  }

  /// Whether a rule is a restricted one for a class: whatever that says is done, or refused.
  private boolean says(Rule rule, ClassModel model) {
    return rule instanceof StructureRule && rule.concerns(model, hierarchy);
  }

  /// The names of the rules that are not those of [Rule#standard].
  List<String> addedRules() {
    return added.stream().map(Rule::name).toList();
  }

  /// What keeps one from telling whether a class is one of objects, if it looks like one: a
  /// superclass that is not found. Left as it is, it would refuse to be constructed.
  Optional<Problem> undecided(byte[] classFile) {
    ClassModel model = classFiles.parse(classFile);
    return hierarchy
        .missingFrom(model.thisClass().asSymbol())
        .filter(_ -> PsoDeclaration.looksLikeOne(model))
        .map(
            missing ->
                new Problem(
                    location(model, "*"),
                    ("looks like a class of objects, but %s is not found: put the "
                            + "jars that it was compiled with on the class path")
                        .formatted(Location.nameOf(missing))));
  }

  /// Finds what [#specialize] would change or refuse. On the run-time path such an access would
  /// fail when it runs, since it finds no field: a build must fail on it.
  ///
  /// @throws IllegalArgumentException if the bytes are no class file
  public List<Problem> check(byte[] classFile) {
    try {
      return checked(classFile);
    } catch (RuntimeException e) {
      throw explained(e, classFile);
    }
  }

  private List<Problem> checked(byte[] classFile) {
    ClassModel model = classFiles.parse(classFile);
    ClassInfo info = ClassInfo.of(model);
    hierarchy.learn(info);
    List<Problem> problems = new ArrayList<>();
    if (hierarchy.isPso(info.name()) && !info.isSpecialized()) {
      problems.add(new Problem(location(model, "*"), "the class was not specialized"));
    }
    for (MethodPlan plan : plan(model, info).values()) {
      for (MethodPlan.Choice choice : plan.choices()) {
        if (choice.isChange() && choice.required()) {
          problems.add(new Problem(choice.location(), choice.instruction() + " was not rewritten"));
        }
      }
      problems.addAll(refusals(Map.of("", plan)));
    }
    return problems;
  }

  private Map<String, MethodPlan> plan(ClassModel model, ClassInfo info) {
    Map<String, MethodPlan> plans = new LinkedHashMap<>();
    List<Rule> concerned =
        rules.stream()
            .filter(rule -> rule.concerns(model, hierarchy))
            .filter(rule -> rule.isIdempotent() || !RuleMark.on(model).has(rule))
            .toList();
    if (concerned.isEmpty()) {
      return plans;
    }
    for (MethodModel method : model.methods()) {
      Location start = location(model, method.methodName().stringValue());
      plans.put(MethodPlan.key(method), MethodPlan.of(method, info, start, concerned, hierarchy));
    }
    return plans;
  }

  /// The members that rules add to a class, each once.
  private static Map<String, AddedMember> members(Map<String, MethodPlan> plans) {
    Map<String, AddedMember> members = new LinkedHashMap<>();
    plans.values().forEach(plan -> plan.members().forEach(members::putIfAbsent));
    return members;
  }

  private static List<Problem> memberClashes(ClassModel model, Map<String, MethodPlan> plans) {
    Set<String> present = new HashSet<>();
    model
        .fields()
        .forEach(
            field ->
                present.add(
                    field.fieldName().stringValue() + ":" + field.fieldType().stringValue()));
    model.methods().forEach(method -> present.add(MethodPlan.key(method)));
    return members(plans).values().stream()
        .filter(member -> present.contains(member.key()))
        .map(
            member ->
                new Problem(
                    location(model, member.name()),
                    "a rule adds a member of this name and type: rename this member"))
        .toList();
  }

  private static List<Problem> refusals(Map<String, MethodPlan> plans) {
    List<Problem> problems = new ArrayList<>();
    for (MethodPlan plan : plans.values()) {
      for (MethodPlan.Choice choice : plan.choices()) {
        if (choice.decision() instanceof Decision.Refuse(String problem)) {
          problems.add(new Problem(choice.location(), problem));
        }
      }
    }
    return problems;
  }

  /// No JVM loads a class file of a version without call sites that has one; the class-file library
  /// writes it, and its verifier has nothing against it.
  private static List<Problem> tooOld(
      ClassModel model, Map<String, MethodPlan> plans, boolean declare) {
    if (model.majorVersion() >= ClassFile.JAVA_7_VERSION) {
      return List.of();
    }
    Optional<Location> first =
        plans.values().stream()
            .flatMap(plan -> plan.choices().stream())
            .filter(choice -> choice.decision() instanceof Decision.Replace)
            .map(MethodPlan.Choice::location)
            .findFirst();
    return first
        .or(() -> declare ? Optional.of(location(model, "*")) : Optional.empty())
        .map(
            location ->
                new Problem(
                    location,
                    ("a class file of version %d can have no call sites: compile it "
                            + "for Java 7 (version %d) or later")
                        .formatted(model.majorVersion(), ClassFile.JAVA_7_VERSION)))
        .stream()
        .toList();
  }

  private byte[] rewrite(
      ClassModel model, ClassInfo info, Map<String, MethodPlan> plans, boolean declare) {
    ClassTransform methods =
        (ClassBuilder builder, ClassElement element) -> {
          if (element instanceof MethodModel method) {
            Optional<MethodPlan> plan =
                Optional.ofNullable(plans.get(MethodPlan.key(method)))
                    .filter(MethodPlan::changesCode);
            boolean declares = declare && PsoDeclaration.isStaticInitializer(method);
            boolean makes = declare && PsoDeclaration.mayMake(model, method);
            if (plan.isEmpty() && !declares && !makes) {
              builder.with(method); // to the byte
              return;
            }
            CodeTransform code = plan.map(MethodPlan::transform).orElse(CodeTransform.ACCEPT_ALL);
            if (declares) {
              code = code.andThen(PsoDeclaration.prologue());
            }
            if (makes) {
              code = code.andThen(PsoDeclaration.making());
            }
            builder.transformMethod(method, MethodTransform.transformingCode(code));
            plan.ifPresent(moved -> moved.addParts(builder));
          } else if (!(element instanceof RuleMark)) {
            builder.with(element);
          }
        };
    RuleMark mark = RuleMark.on(model).with(rules, changing(plans));
    ClassTransform all =
        methods.andThen(
            ClassTransform.endHandler(
                builder -> {
                  members(plans).values().forEach(member -> member.addTo(builder));
                  if (!mark.isEmpty()) {
                    builder.with(mark);
                  }
                }));
    return classFiles.transformClass(
        model,
        declare
            ? all.andThen(PsoDeclaration.fields(info, hierarchy))
                .andThen(PsoDeclaration.members(model, info, hierarchy))
            : all);
  }

  /// Says which method the class-file library does not write, even alone; the class as a whole if
  /// there is none.
  private Problem unwritable(
      ClassModel model, ClassInfo info, Map<String, MethodPlan> plans, IllegalArgumentException e) {
    for (MethodModel method : model.methods()) {
      MethodPlan plan = plans.get(MethodPlan.key(method));
      try {
        if (plan != null && plan.changesCode()) {
          rewrite(model, info, Map.of(MethodPlan.key(method), plan), false);
        }
      } catch (IllegalArgumentException alone) {
        Location location = location(model, method.methodName().stringValue());
        return new Problem(location, unwritable(alone, plan.choices()));
      }
    }
    return new Problem(location(model, "*"), unwritable(e, List.of()));
  }

  /// The reason and the remedy. Call sites are always valid; code from rules can be wrong.
  private static String unwritable(IllegalArgumentException e, List<MethodPlan.Choice> choices) {
    String why = String.valueOf(e.getMessage()).lines().findFirst().orElse(""); // and not all code
    if (e instanceof MissingClassException) {
      return "cannot be rewritten: " + why;
    }
    String rules =
        choices.stream()
            .filter(choice -> choice.decision() instanceof Decision.Rewrite)
            .map(MethodPlan.Choice::rule)
            .distinct()
            .collect(Collectors.joining(", "));
    String advice =
        rules.isEmpty()
            ? "A call site takes two bytes more than a field access: where"
            : "Look at the code that these rules give in place of its own (%s); or where"
                .formatted(rules);
    return ("cannot be rewritten: %s. %s a method is too long for it (65,535 bytes), or a "
            + "class has too many constants, move some of the code elsewhere")
        .formatted(why, advice);
  }

  /// Runs the class-file verifier over the result. What it has against the original too isn't ours.
  private List<Problem> verify(
      ClassInfo info,
      Optional<String> sourceFile,
      byte[] original,
      byte[] result,
      Map<String, MethodPlan> plans) {
    List<String> errors = errors(result);
    if (errors.isEmpty()) {
      return List.of();
    }
    Set<String> before = new HashSet<>(errors(original));
    errors = errors.stream().filter(error -> !before.contains(error)).toList();
    if (errors.isEmpty()) {
      return List.of();
    }
    List<Problem> problems = new ArrayList<>();
    for (MethodPlan plan : plans.values()) {
      for (MethodPlan.Choice choice : plan.beforeSuper()) {
        problems.add(
            new Problem(
                choice.location(),
                choice.instruction()
                    + " stands before super(...), when the object has no place in a "
                    + "container yet: move it"
                    + " after super(...)"));
      }
    }
    if (problems.isEmpty()) {
      Location location = new Location(info.name(), "*", sourceFile, 0);
      errors.forEach(error -> problems.add(new Problem(location, "does not verify: " + error)));
    }
    return problems;
  }

  private List<String> errors(byte[] classFile) {
    return classFiles.verify(classFile).stream().map(VerifyError::getMessage).toList();
  }

  private static Location location(ClassModel model, String member) {
    ClassDesc type = model.thisClass().asSymbol();
    return new Location(type, member, sourceFile(model), 0);
  }

  private static Optional<String> sourceFile(ClassModel model) {
    return model
        .findAttribute(Attributes.sourceFile())
        .map(attribute -> attribute.sourceFile().stringValue());
  }
}
