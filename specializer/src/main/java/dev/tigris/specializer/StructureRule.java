package dev.tigris.specializer;

import dev.tigris.specializer.structure.Structure;
import dev.tigris.specializer.structure.StructureMethod;
import dev.tigris.specializer.structure.StructureParser;
import java.io.IOException;
import java.lang.classfile.ClassModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A file in the restricted rule language, as a rule.
///
/// It gives meaning to methods that have none, those without a body, and so cannot change what any
/// code does. [BodylessMethods] gives such a method a call of itself for a body; this rule puts a
/// call site in the place of that call.
///
/// ```
/// native int version()   ->   invokedynamic version:(LIpv4;)I   "peek byte @0; ..."
/// ```
final class StructureRule implements Rule {
  private final String name;
  private final Map<ClassDesc, Structure> structures = new HashMap<>();

  private StructureRule(String name) {
    this.name = name;
  }

  /// Reads a file.
  ///
  /// @param name what reports call it
  /// @param file its name, for messages
  /// @throws IOException if something in it is wrong
  static StructureRule parse(String name, String file, String text) throws IOException {
    StructureRule rule = new StructureRule(name);
    for (Structure structure : StructureParser.parse(file, text)) {
      rule.structures.put(structure.type(), structure);
    }
    return rule;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean concerns(ClassModel type, ClassHierarchy hierarchy) {
    return structures.containsKey(type.thisClass().asSymbol());
  }

  @Override
  public Decision decide(Site site) {
    if (isOfAnotherRule(site)) {
      return new Decision.Refuse(
          "the class was specialized when rules said something else of this method: compile it"
              + " again first (mvn clean)");
    }
    Optional<StructureMethod> method =
        BodylessMethods.isBody(site)
            ? find(site.in().name(), site.instruction())
            : Optional.empty();
    if (method.isEmpty()) {
      return Decision.PASS;
    }
    ClassDesc type = site.in().name();
    if (!site.in().superclass().equals(Optional.of(MemoryNames.PSO))) {
      return new Decision.Refuse(
          Location.nameOf(type)
              + " is laid over a structure, so it must extend Pso itself: a rule does not know the"
              + " fields of a class in between");
    }
    return new Decision.Replace(
        DynamicCallSiteDesc.of(
            MemoryNames.RECIPE_BOOTSTRAP,
            method.get().name(),
            method.get().type().insertParameterTypes(0, type),
            method.get().recipe()));
  }

  /// Whether a method has a meaning already, of an earlier run, and now it is another one.
  private boolean isOfAnotherRule(Site site) {
    ClassDesc type = site.in().name();
    return site.instruction() instanceof InvokeDynamicInstruction was
        && was.bootstrapMethod().equals(MemoryNames.RECIPE_BOOTSTRAP)
        && methods(type)
            .filter(method -> was.name().equalsString(method.name()))
            .filter(method -> was.typeSymbol().equals(method.type().insertParameterTypes(0, type)))
            .anyMatch(method -> !was.bootstrapArgs().equals(List.of(method.recipe())));
  }

  private Stream<StructureMethod> methods(ClassDesc type) {
    return Stream.ofNullable(structures.get(type))
        .flatMap(structure -> structure.methods().stream());
  }

  /// Whether a file says something of a method.
  boolean names(ClassDesc type, MethodModel method) {
    return methods(type)
        .anyMatch(
            known ->
                method.methodName().equalsString(known.name())
                    && method.methodTypeSymbol().equals(known.type()));
  }

  private Optional<StructureMethod> find(ClassDesc type, Instruction instruction) {
    return methods(type)
        .filter(
            method ->
                instruction instanceof InvokeInstruction call
                    && call.name().equalsString(method.name())
                    && call.typeSymbol().equals(method.type()))
        .findFirst();
  }
}
