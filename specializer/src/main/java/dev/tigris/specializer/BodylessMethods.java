package dev.tigris.specializer;

import java.lang.classfile.AccessFlags;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.List;
import java.util.Optional;

/// The methods without a body in classes of objects: each stands for a peek or a poke of the field
/// that has its name, as in the papers' external objects (papers: 000 sections 3.2 and 4, figure
/// 4).
///
/// ```java
/// public class Doorbell extends Pso {          // laid over the registers of a device
///   private volatile int descriptor;
///   public native int descriptor();            // a peek, which acquires as the field is volatile
///   public native void descriptor(int value);  // a poke, which releases
/// ```
///
/// They are given the body that their names stand for, an access of the field; then the rules see
/// that access as any other.
final class BodylessMethods {
  private BodylessMethods() {}

  /// What is wrong with the methods of a class of objects.
  static List<Problem> problems(
      ClassModel model, ClassInfo info, Optional<String> sourceFile, ClassHierarchy hierarchy) {
    return model.methods().stream()
        .filter(method -> method.flags().has(AccessFlag.NATIVE))
        .filter(method -> field(method, info, hierarchy).isEmpty())
        .map(
            method ->
                new Problem(
                    new Location(info.name(), method.methodName().stringValue(), sourceFile, 0),
                    "a method without a body stands for the field of its name: declare it as"
                        + " 'T name()' or 'void name(T)' beside a field 'T name', or give it a"
                        + " body"))
        .toList();
  }

  /// The class with bodies for such methods, or the same if it has none.
  static ClassModel filled(
      ClassFile classFiles, ClassModel model, ClassInfo info, ClassHierarchy hierarchy) {
    if (model.methods().stream().noneMatch(method -> method.flags().has(AccessFlag.NATIVE))) {
      return model;
    }
    ClassTransform fill =
        (builder, element) -> {
          Optional<FieldInfo> field =
              element instanceof MethodModel method && method.flags().has(AccessFlag.NATIVE)
                  ? field(method, info, hierarchy)
                  : Optional.empty();
          if (element instanceof MethodModel method && field.isPresent()) {
            builder.withMethod(
                method.methodName(),
                method.methodType(),
                method.flags().flagsMask() & ~ClassFile.ACC_NATIVE,
                body -> {
                  method
                      .elementStream()
                      .filter(member -> !(member instanceof AccessFlags))
                      .forEach(body::with);
                  body.withCode(code -> access(code, info.name(), field.get(), method));
                });
          } else {
            builder.with(element);
          }
        };
    return classFiles.parse(classFiles.transformClass(model, fill));
  }

  /// The field that a method stands for.
  private static Optional<FieldInfo> field(
      MethodModel method, ClassInfo info, ClassHierarchy hierarchy) {
    MethodTypeDesc type = method.methodTypeSymbol();
    boolean peeks = type.parameterCount() == 0;
    boolean pokes = type.parameterCount() == 1 && type.returnType().equals(ConstantDescs.CD_void);
    if (method.flags().has(AccessFlag.STATIC) || !(peeks || pokes)) {
      return Optional.empty();
    }
    ClassDesc value = peeks ? type.returnType() : type.parameterType(0);
    return hierarchy
        .resolveField(info.name(), method.methodName().stringValue(), value)
        .filter(field -> !field.has(AccessFlag.STATIC));
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
