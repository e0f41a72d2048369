package dev.tigris.specializer;

import java.lang.classfile.AccessFlags;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The methods without a body in classes of objects: each stands for a peek or a poke, as in
/// Welsh's external objects (MS thesis, 1999, sections 3.2 and 4, figure 4).
///
/// ```java
/// public class Doorbell extends Pso {          // laid over the registers of a device
///   private volatile int descriptor;
///   public native int descriptor();            // a peek, which acquires as the field is volatile
///   public native void descriptor(int value);  // a poke, which releases
/// ```
///
/// One that has the name of a field is given an access of the field for a body, which the rules
/// then see as any other. Every other one is given a call of itself, and what that means is for a
/// rule to say ([StructureRule]).
final class BodylessMethods {
  private BodylessMethods() {}

  /// Finds problems with the methods of a class of objects, and with the rules for them.
  ///
  /// @param plans what the rules decided for each method, by its key
  static List<Problem> problems(
      ClassModel model,
      ClassInfo info,
      Optional<String> sourceFile,
      ClassHierarchy hierarchy,
      List<Rule> rules,
      Map<String, MethodPlan> plans) {
    List<Problem> problems = new ArrayList<>();
    ClassDesc host = nestHost(model);
    for (MethodModel method : model.methods()) {
      if (method.flags().has(AccessFlag.NATIVE)) {
        String name = method.methodName().stringValue();
        Location location = new Location(info.name(), name, sourceFile, 0);
        boolean ofField = field(method, info, hierarchy, host).isPresent();
        if (ofField && isNamed(method, info, rules)) {
          // Either meaning would read other bytes than one of the two authors expects.
          problems.add(
              new Problem(
                  location,
                  "has the name of a field, and a restricted rule gives it a meaning "
                      + "as well: rename the field, or take the method out of the rule"));
        } else if (!ofField && !isDecided(plans.get(MethodPlan.key(method)))) {
          problems.add(
              new Problem(
                  location,
                  "has no body, but neither a field nor a rule of its name. Declare "
                      + "it as 'T name()' or 'void name(T)' beside a field 'T name' that "
                      + "the class may access. Or name it in a rule, or give it a body"));
        }
      }
    }
    for (Rule rule : rules) {
      if (rule instanceof StructureRule structures) {
        problems.addAll(saidInVain(structures, model, info, sourceFile, plans));
      }
    }
    return problems;
  }

  private static boolean isDecided(@Nullable MethodPlan plan) {
    return plan != null && plan.changesOrRefuses();
  }

  /// The methods that a rule names and the class does not have without a body. The rule's author
  /// would otherwise believe that they read or write what the rule says.
  private static List<Problem> saidInVain(
      StructureRule rule,
      ClassModel model,
      ClassInfo info,
      Optional<String> sourceFile,
      Map<String, MethodPlan> plans) {
    Set<String> declared = new HashSet<>();
    Set<String> taken = new HashSet<>();
    for (MethodModel method : model.methods()) {
      String key = MethodPlan.key(method);
      declared.add(key);
      MethodPlan plan = plans.get(key);
      // Of a native method that stands for a field, problems() tells.
      if (method.flags().has(AccessFlag.NATIVE) || (plan != null && plan.isDecidedBy(rule))) {
        taken.add(key);
      }
    }
    return rule.methods(info.name()).stream()
        .filter(said -> !taken.contains(said.key()))
        .map(
            said ->
                new Problem(
                    new Location(info.name(), said.name(), sourceFile, 0),
                    ("%s gives a meaning to '%s', which the class does not declare%s: "
                            + "declare it as 'native', or take it out of the rule")
                        .formatted(
                            rule.name(),
                            said,
                            declared.contains(said.key()) ? " as a method without a body" : "")))
        .toList();
  }

  private static boolean isNamed(MethodModel method, ClassInfo info, List<Rule> rules) {
    return rules.stream()
        .anyMatch(
            rule ->
                rule instanceof StructureRule structures && structures.names(info.name(), method));
  }

  /// Whether an instruction is all that a method does, and calls the same method: what a method
  /// without a body is filled with. One that was compiled like that never returned.
  static boolean isBody(Site site) {
    MethodModel method = site.method();
    return !method.flags().has(AccessFlag.STATIC)
        && isCallOf(method, site.in(), site.instruction())
        && method.code().stream()
            .flatMap(CodeModel::elementStream)
            .allMatch(
                element ->
                    !(element instanceof Instruction instruction)
                        || instruction instanceof LoadInstruction
                        || instruction instanceof ReturnInstruction
                        || isCallOf(method, site.in(), instruction));
  }

  private static boolean isCallOf(MethodModel method, ClassInfo in, Instruction instruction) {
    return instruction instanceof InvokeInstruction call
        && call.owner().asSymbol().equals(in.name())
        && call.name().equalsString(method.methodName().stringValue())
        && call.typeSymbol().equals(method.methodTypeSymbol());
  }

  /// The class with bodies for such methods, or the same if it has none.
  static ClassModel filled(
      ClassFile classFiles, ClassModel model, ClassInfo info, ClassHierarchy hierarchy) {
    if (model.methods().stream().noneMatch(method -> method.flags().has(AccessFlag.NATIVE))) {
      return model;
    }
    ClassDesc host = nestHost(model);
    ClassTransform fill =
        (builder, element) -> {
          if (element instanceof MethodModel method && method.flags().has(AccessFlag.NATIVE)) {
            builder.withMethod(
                method.methodName(),
                method.methodType(),
                method.flags().flagsMask() & ~ClassFile.ACC_NATIVE,
                body -> {
                  method
                      .elementStream()
                      .filter(member -> !(member instanceof AccessFlags))
                      .forEach(body::with);
                  Optional<FieldInfo> field = field(method, info, hierarchy, host);
                  body.withCode(
                      code ->
                          field.ifPresentOrElse(
                              of -> access(code, info.name(), of, method),
                              () -> callItself(code, info.name(), method)));
                });
          } else {
            builder.with(element);
          }
        };
    return classFiles.parse(classFiles.transformClass(model, fill));
  }

  /// The class whose nest a class belongs to.
  private static ClassDesc nestHost(ClassModel model) {
    return model
        .findAttribute(Attributes.nestHost())
        .map(attribute -> attribute.nestHost().asSymbol())
        .orElse(model.thisClass().asSymbol());
  }

  /// The field that a method stands for.
  private static Optional<FieldInfo> field(
      MethodModel method, ClassInfo info, ClassHierarchy hierarchy, ClassDesc host) {
    MethodTypeDesc type = method.methodTypeSymbol();
    boolean peeks = type.parameterCount() == 0;
    boolean pokes = type.parameterCount() == 1 && type.returnType().equals(ConstantDescs.CD_void);
    if (method.flags().has(AccessFlag.STATIC) || !(peeks || pokes)) {
      return Optional.empty();
    }
    ClassDesc value = peeks ? type.returnType() : type.parameterType(0);
    return hierarchy
        .resolveField(info.name(), method.methodName().stringValue(), value)
        .filter(field -> !field.has(AccessFlag.STATIC) && mayAccess(info, host, field));
  }

  /// Whether a class may access a field of its own or of a superclass.
  ///
  /// @param host of its nest; compilers name the others in that after it
  private static boolean mayAccess(ClassInfo info, ClassDesc host, FieldInfo field) {
    ClassDesc owner = field.owner();
    if (owner.equals(info.name()) || field.has(AccessFlag.PUBLIC)) {
      return true;
    }
    if (field.has(AccessFlag.PRIVATE)) {
      String nest = host.descriptorString().replace(';', '$');
      return owner.equals(host) || owner.descriptorString().startsWith(nest);
    }
    return field.has(AccessFlag.PROTECTED) || owner.packageName().equals(info.name().packageName());
  }

  private static void callItself(CodeBuilder code, ClassDesc owner, MethodModel method) {
    MethodTypeDesc type = method.methodTypeSymbol();
    boolean isStatic = method.flags().has(AccessFlag.STATIC);
    if (!isStatic) {
      code.aload(0);
    }
    for (int index = 0; index < type.parameterCount(); index++) {
      code.loadLocal(TypeKind.from(type.parameterType(index)), code.parameterSlot(index));
    }
    String name = method.methodName().stringValue();
    if (isStatic) {
      code.invokestatic(owner, name, type);
    } else {
      code.invokevirtual(owner, name, type);
    }
    code.return_(TypeKind.from(type.returnType()));
  }

  private static void access(
      CodeBuilder code, ClassDesc owner, FieldInfo field, MethodModel method) {
    code.aload(0);
    if (method.methodTypeSymbol().parameterCount() == 0) {
      code.getfield(owner, field.name(), field.type()).return_(TypeKind.from(field.type()));
    } else {
      code.loadLocal(TypeKind.from(field.type()), 1)
          .putfield(owner, field.name(), field.type())
          .return_();
    }
  }
}
