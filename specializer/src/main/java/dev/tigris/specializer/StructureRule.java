package dev.tigris.specializer;

import dev.tigris.specializer.structure.Structure;
import dev.tigris.specializer.structure.StructureMethod;
import dev.tigris.specializer.structure.StructureParser;
import java.io.IOException;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// A file in the restricted rule language, as a rule.
///
/// It gives meaning to methods that have none, those without a body, and so cannot change what any
/// code does. [BodylessMethods] gives such a method a call of itself for a body; this rule puts a
/// call site in the place of that call.
///
/// ```
/// native int version()   ->   invokedynamic version:(LIpv4;)I   "peek byte @0; ..."
/// ```
final class StructureRule implements OwnRule {
  private final String name;

  /// By class the methods, by name and descriptor.
  private final Map<ClassDesc, Map<String, StructureMethod>> structures = new HashMap<>();

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
      Map<String, StructureMethod> methods = new TreeMap<>();
      structure.methods().forEach(method -> methods.put(method.key(), method));
      rule.structures.put(structure.type(), methods);
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
          "the class was specialized with rules that gave this method another "
              + "meaning: compile it again first (mvn clean)");
    }
    Optional<StructureMethod> method =
        BodylessMethods.isBody(site)
            ? find(site.in().name(), MethodPlan.key(site.method()))
            : Optional.empty();
    if (method.isEmpty()) {
      return Decision.PASS;
    }
    ClassDesc type = site.in().name();
    if (!site.in().superclass().equals(Optional.of(MemoryNames.PSO))) {
      return new Decision.Refuse(
          Location.nameOf(type)
              + " is laid over a structure, so it must extend Pso directly: a rule "
              + "does not know the fields of a class in between");
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
    if (!(site.instruction() instanceof InvokeDynamicInstruction was)
        || !was.bootstrapMethod().equals(MemoryNames.RECIPE_BOOTSTRAP)
        || was.typeSymbol().parameterCount() == 0
        || !was.typeSymbol().parameterType(0).equals(type)) {
      return false;
    }
    MethodTypeDesc taken = was.typeSymbol().dropParameterTypes(0, 1);
    return find(type, was.name().stringValue() + taken.descriptorString())
        .filter(method -> !was.bootstrapArgs().equals(List.of(method.recipe())))
        .isPresent();
  }

  private Optional<StructureMethod> find(ClassDesc type, String key) {
    return Optional.ofNullable(structures.getOrDefault(type, Map.of()).get(key));
  }

  /// What the file says of a class, in the order of the methods' names.
  Collection<StructureMethod> methods(ClassDesc type) {
    return structures.getOrDefault(type, Map.of()).values();
  }

  /// Whether the file says something of a method.
  boolean names(ClassDesc type, MethodModel method) {
    return find(type, MethodPlan.key(method)).isPresent();
  }

  /// A method that another file says something of, too.
  Optional<String> shared(StructureRule other) {
    for (Map.Entry<ClassDesc, Map<String, StructureMethod>> each : structures.entrySet()) {
      ClassDesc type = each.getKey();
      for (Map.Entry<String, StructureMethod> entry : each.getValue().entrySet()) {
        if (other.find(type, entry.getKey()).isPresent()) {
          StructureMethod method = entry.getValue();
          String types = method.type().displayDescriptor();
          return Optional.of(Location.nameOf(type) + "." + method.name() + types);
        }
      }
    }
    return Optional.empty();
  }
}
