package dev.tigris.cluster.run;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.LoadableConstantEntry;
import java.lang.classfile.constantpool.MethodHandleEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.net.URL;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Looks for state that modules of a program share within one process: mutable objects that they
/// reach by a static field, or get from their factory. Each process of a run has its own, so that a
/// total in one of them is of a part of the run.
///
/// It reads the class files that come from where the program comes from, and follows the calls that
/// are written there. It is a help and no proof: it does not see calls by reflection, and takes an
/// array or a collection for a constant unless a method that reads its field writes to such.
///
/// Thread rule: one thread.
final class SharedState {
  private static final int MOST_CLASSES = 2000;
  private static final String ATOMIC = "java/util/concurrent/";

  /// Classes of `java.util` whose objects cannot change, or are no state of a flow.
  private static final Set<String> CONSTANT =
      Set.of(
          "java/util/Base64$Decoder",
          "java/util/Base64$Encoder",
          "java/util/Comparator",
          "java/util/Currency",
          "java/util/HexFormat",
          "java/util/Locale",
          "java/util/Optional",
          "java/util/OptionalDouble",
          "java/util/OptionalInt",
          "java/util/OptionalLong",
          "java/util/UUID",
          "java/util/concurrent/TimeUnit",
          "java/util/logging/Level",
          "java/util/logging/Logger",
          "java/util/regex/Pattern");
  private static final Set<String> MODULES =
      Set.of("dev/tigris/flow/Module", "dev/tigris/flow/Source");
  private static final Set<String> MUTATORS =
      Set.of(
          "add",
          "addAll",
          "put",
          "putAll",
          "putIfAbsent",
          "merge",
          "compute",
          "computeIfAbsent",
          "computeIfPresent",
          "set",
          "remove",
          "clear",
          "push",
          "pop",
          "poll",
          "offer",
          "addFirst",
          "addLast",
          "append");

  /// A method of a class.
  private record Method(String owner, String name, String type) {}

  private final ClassLoader loader;
  private final String base;
  private final Map<String, @Nullable ClassModel> models = new HashMap<>();
  private final ArrayDeque<Method> unread = new ArrayDeque<>();
  private final Set<Method> known = new HashSet<>();
  private final Set<String> made = new HashSet<>();
  private final Set<String> found = new TreeSet<>();

  private SharedState(ClassLoader loader, String base) {
    this.loader = loader;
    this.base = base;
  }

  /// Returns what to tell the user; nothing if all is well, or the classes cannot be read.
  static List<String> warnings(Class<? extends FlowProgram> program) {
    ClassLoader loader = program.getClassLoader();
    String name = program.getName().replace('.', '/');
    URL place = loader == null ? null : loader.getResource(name + ".class");
    if (loader == null || place == null) {
      return List.of();
    }
    String url = place.toString();
    var state = new SharedState(loader, url.substring(0, url.length() - (name.length() + 6)));
    try {
      state.read(name);
    } catch (RuntimeException e) { // a class file of a later version, or a damaged one
      return List.of();
    }
    return List.copyOf(state.found);
  }

  private void read(String program) {
    ClassModel model = model(program);
    if (model == null) {
      return;
    }
    for (MethodModel method : model.methods()) {
      if (method.code().orElse(null) instanceof CodeAttribute code) {
        roots(model, method, code);
      }
    }
    while (!unread.isEmpty()) {
      read(unread.poll());
    }
  }

  /// Takes what the program names as code of modules: their classes, and the bodies of lambdas.
  private void roots(ClassModel program, MethodModel method, CodeAttribute code) {
    String own = program.thisClass().asInternalName();
    if (method.methodName().stringValue().startsWith("lambda$")) {
      take(new Method(own, method.methodName().stringValue(), method.methodType().stringValue()));
    }
    code.forEach(
        element -> {
          switch (element) {
            case NewObjectInstruction made -> takeModule(made.className());
            case InvokeDynamicInstruction call -> {
              handles(call).forEach(handle -> takeModule(handle.reference().owner()));
              captured(own, call);
            }
            default -> {}
          }
        });
  }

  private void takeModule(ClassEntry type) {
    String name = type.asInternalName();
    for (String each = name; each != null; each = superName(each)) {
      ClassModel model = model(each);
      if (model != null
          && model.interfaces().stream().anyMatch(i -> MODULES.contains(i.asInternalName()))) {
        takeAll(name);
        return;
      }
    }
  }

  private @Nullable String superName(String name) {
    ClassModel model = model(name);
    return model == null ? null : model.superclass().map(ClassEntry::asInternalName).orElse(null);
  }

  /// Takes all methods of a class of which an object is made, and of those it extends.
  private void takeAll(String name) {
    for (String each = name; each != null && made.add(each); each = superName(each)) {
      ClassModel model = model(each);
      if (model == null) {
        return;
      }
      for (MethodModel method : model.methods()) {
        take(
            new Method(each, method.methodName().stringValue(), method.methodType().stringValue()));
      }
    }
  }

  private void take(Method method) {
    if (!method.name().equals("<clinit>") && known.add(method)) {
      unread.add(method);
    }
  }

  private void read(Method method) {
    ClassModel model = model(method.owner());
    if (model == null) {
      return;
    }
    for (MethodModel each : model.methods()) {
      if (each.methodName().equalsString(method.name())
          && each.methodType().equalsString(method.type())
          && each.code().orElse(null) instanceof CodeAttribute code) {
        read(code);
      }
    }
  }

  private void read(CodeAttribute code) {
    boolean writes =
        code.elementStream()
            .anyMatch(
                element ->
                    element instanceof ArrayStoreInstruction
                        || (element instanceof InvokeInstruction call
                            && call.owner().asInternalName().startsWith("java/util/")
                            && MUTATORS.contains(call.name().stringValue())));
    code.forEach(
        element -> {
          switch (element) {
            case FieldInstruction field -> field(field, writes);
            case NewObjectInstruction made -> takeAll(made.className().asInternalName());
            case InvokeInstruction call ->
                take(
                    new Method(
                        call.owner().asInternalName(),
                        call.name().stringValue(),
                        call.type().stringValue()));
            case InvokeDynamicInstruction call ->
                handles(call)
                    .forEach(
                        handle ->
                            take(
                                new Method(
                                    handle.reference().owner().asInternalName(),
                                    handle.reference().name().stringValue(),
                                    handle.reference().type().stringValue())));
            default -> {}
          }
        });
  }

  private static List<MethodHandleEntry> handles(InvokeDynamicInstruction call) {
    List<MethodHandleEntry> handles = new ArrayList<>();
    for (LoadableConstantEntry argument : call.invokedynamic().bootstrap().arguments()) {
      PoolEntry entry = argument;
      if (entry instanceof MethodHandleEntry handle) {
        handles.add(handle);
      }
    }
    return handles;
  }

  // -- What is mutable.

  private void field(FieldInstruction field, boolean methodWrites) {
    boolean isStatic = field.opcode() == Opcode.GETSTATIC || field.opcode() == Opcode.PUTSTATIC;
    ClassModel owner = isStatic ? model(field.owner().asInternalName()) : null;
    if (owner == null) {
      return;
    }
    for (FieldModel each : owner.fields()) {
      if (each.fieldName().equalsString(field.name().stringValue())) {
        boolean isFinal = each.flags().has(AccessFlag.FINAL);
        boolean isSynthetic = each.flags().has(AccessFlag.SYNTHETIC); // such as of assertions
        if (!isSynthetic && (!isFinal || isMutable(each.fieldTypeSymbol(), methodWrites))) {
          found.add(
              "modules use the static field %s.%s (%s), of which each process has its own: let them tell context.results()"
                  .formatted(
                      named(field.owner().asInternalName()),
                      field.name().stringValue(),
                      each.fieldTypeSymbol().displayName()));
        }
      }
    }
  }

  private void captured(String program, InvokeDynamicInstruction call) {
    if (!call.typeSymbol()
        .returnType()
        .descriptorString()
        .equals("Ljava/util/function/Supplier;")) {
      return;
    }
    for (ClassDesc type : call.typeSymbol().parameterList()) {
      boolean isProgram = internal(type).equals(program);
      if (!isProgram && isMutable(type, false)) {
        found.add(
            "a factory of modules shares its %s among them, of which each process has its own: let them tell context.results()"
                .formatted(type.displayName()));
      }
    }
  }

  private boolean isMutable(ClassDesc type, boolean methodWrites) {
    String name = internal(type);
    if (type.isPrimitive() || CONSTANT.contains(name) || name.startsWith("java/util/function/")) {
      return false;
    }
    if (type.isArray() || (name.startsWith("java/util/") && !name.startsWith(ATOMIC))) {
      return methodWrites;
    }
    if (name.startsWith(ATOMIC) || name.equals("java/lang/StringBuilder")) {
      return true;
    }
    ClassModel model = model(name);
    return model != null
        && model.fields().stream()
            .anyMatch(
                each ->
                    !each.flags().has(AccessFlag.STATIC)
                        && (!each.flags().has(AccessFlag.FINAL)
                            || internal(each.fieldTypeSymbol()).startsWith(ATOMIC)));
  }

  private static String internal(ClassDesc type) {
    String descriptor = type.descriptorString();
    return descriptor.startsWith("L") ? descriptor.substring(1, descriptor.length() - 1) : "";
  }

  private static String named(String internal) {
    return internal.substring(internal.lastIndexOf('/') + 1).replace('$', '.');
  }

  /// Returns a class of the program; null for those of libraries and of Java.
  private @Nullable ClassModel model(String name) {
    if (!models.containsKey(name) && models.size() < MOST_CLASSES) {
      models.put(name, parsed(name));
    }
    return models.get(name);
  }

  private @Nullable ClassModel parsed(String name) {
    URL place = name.startsWith("java/") ? null : loader.getResource(name + ".class");
    if (place == null || !place.toString().equals(base + name + ".class")) {
      return null;
    }
    try (InputStream in = Objects.requireNonNull(loader.getResourceAsStream(name + ".class"))) {
      return ClassFile.of().parse(in.readAllBytes());
    } catch (IOException e) {
      return null;
    }
  }
}
