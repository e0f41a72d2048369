package dev.tigris.specializer;

import static java.lang.constant.ConstantDescs.CD_MethodHandles;
import static java.lang.constant.ConstantDescs.CD_MethodHandles_Lookup;
import static java.lang.constant.ConstantDescs.CLASS_INIT_NAME;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.Annotation;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.FieldBuilder;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.attribute.RuntimeVisibleAnnotationsAttribute;
import java.lang.classfile.constantpool.MethodRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What the specializer adds to each class of pre-serialized objects:
///
/// ```java
/// static { PsoLinkage.declare(MethodHandles.lookup()); ... }    // first of all
/// protected Trade(PsoBinding binding) { super(binding); }       // synthetic, as is what follows
/// @HeapOnly private transient Trade next-recovered;             // for `Trade next`
/// ```
///
/// The first tells `memory` that the class is specialized and gives it the right to make views of
/// it; the second is how it makes them, without running the user's constructors. Each field of the
/// third kind is where a Java object keeps the object that a reference leads to, if the class of
/// that one has an identity. Of the stored fields it leaves a [DeadField] each.
final class PsoDeclaration {
  private static final ClassDesc GROOVY_OBJECT = ClassDesc.of("groovy.lang.GroovyObject");

  private PsoDeclaration() {}

  /// What is wrong with the class itself.
  static List<Problem> problems(
      ClassInfo info, Optional<String> sourceFile, ClassHierarchy hierarchy) {
    if (info.interfaces().contains(GROOVY_OBJECT)) {
      String why =
          "Groovy keeps a metaClass in each object, and reaches fields by reflection, so that it "
              + "cannot compile a class of objects: write this class in Java. Groovy code that is "
              + "@CompileStatic can use it";
      return List.of(new Problem(new Location(info.name(), "*", sourceFile, 0), why));
    }
    List<Problem> problems = new ArrayList<>();
    if (info.binding().isPresent()) {
      problems.add(
          new Problem(
              new Location(info.name(), INIT_NAME, sourceFile, 0),
              "the specializer adds the constructor that takes a PsoBinding: remove this one"));
    }
    for (FieldInfo field : info.fields()) {
      Location location = new Location(info.name(), field.name(), sourceFile, 0);
      Storage.problem(field, hierarchy)
          .ifPresent(problem -> problems.add(new Problem(location, problem)));
    }
    if (problems.isEmpty()) { // or its size may follow from another problem
      new ObjectSize(hierarchy)
          .excess(info)
          .ifPresent(
              field ->
                  problems.add(
                      new Problem(
                          new Location(info.name(), field.name(), sourceFile, 0),
                          ObjectSize.tooLarge(info.name()))));
    }
    return problems;
  }

  /// Whether a class has what only one of objects has a use for: a field with an annotation of
  /// theirs, or a constructor that hands a container on to the superclass.
  static boolean looksLikeOne(ClassModel model) {
    ClassInfo info = ClassInfo.of(model);
    return !info.isSpecialized()
        && (info.fields().stream().anyMatch(PsoDeclaration::isAnnotated)
            || info.superclass().filter(up -> passesContainer(model, up)).isPresent());
  }

  private static boolean isAnnotated(FieldInfo field) {
    return field.has(MemoryNames.HEAP_ONLY)
        || field.has(MemoryNames.CAPACITY)
        || field.has(MemoryNames.IN_PLACE);
  }

  private static boolean passesContainer(ClassModel model, ClassDesc superclass) {
    for (PoolEntry entry : model.constantPool()) {
      if (entry instanceof MethodRefEntry method
          && method.name().equalsString(INIT_NAME)
          && method.owner().asSymbol().equals(superclass)
          && method.typeSymbol().parameterList().contains(MemoryNames.CONTAINER)) {
        return true;
      }
    }
    return false;
  }

  static boolean isStaticInitializer(MethodModel method) {
    return method.methodName().equalsString(CLASS_INIT_NAME);
  }

  /// Puts the declaration before the code of an existing static initializer.
  static CodeTransform prologue() {
    return new CodeTransform() {
      @Override
      public void atStart(CodeBuilder builder) {
        declare(builder);
      }

      @Override
      public void accept(CodeBuilder builder, CodeElement element) {
        builder.with(element);
      }
    };
  }

  /// Whether a method is a constructor that may call one of `Pso` itself, in a class file that can
  /// have constants of the kind that is handed on.
  static boolean mayMake(ClassModel model, MethodModel method) {
    return method.methodName().equalsString(INIT_NAME)
        && model.majorVersion() >= ClassFile.JAVA_11_VERSION
        && model.superclass().orElseThrow().asSymbol().equals(MemoryNames.PSO);
  }

  /// Tells the constructor of `Pso` which class it makes an object of, as a constant.
  static CodeTransform making() {
    return (builder, element) -> {
      if (element instanceof InvokeInstruction call
          && call.opcode() == Opcode.INVOKESPECIAL
          && call.owner().asSymbol().equals(MemoryNames.PSO)
          && call.name().equalsString(INIT_NAME)
          && call.typeSymbol().equals(MemoryNames.CONSTRUCTOR_TYPE)) {
        builder
            .loadConstant(DynamicConstantDesc.of(MemoryNames.MADE_BOOTSTRAP))
            .invokespecial(MemoryNames.PSO, INIT_NAME, MemoryNames.MADE_CONSTRUCTOR_TYPE);
      } else {
        builder.with(element);
      }
    };
  }

  /// Takes the stored fields out of the Java object, but for what compilers want to see.
  static ClassTransform fields(ClassInfo info, ClassHierarchy hierarchy) {
    return (builder, element) -> {
      if (element instanceof FieldModel field
          && Storage.isInContainer(FieldInfo.of(info.name(), field), hierarchy)) {
        DeadField.add(field, builder);
      } else {
        builder.with(element);
      }
    };
  }

  /// Adds the binding constructor, the fields that remember, and a static initializer if there is
  /// none.
  static ClassTransform members(ClassModel model, ClassInfo info, ClassHierarchy hierarchy) {
    ClassDesc superclass = model.superclass().orElseThrow().asSymbol();
    boolean initializes = model.methods().stream().anyMatch(PsoDeclaration::isStaticInitializer);
    return ClassTransform.endHandler(
        builder -> {
          builder.withMethodBody(
              INIT_NAME,
              MemoryNames.BINDING_CONSTRUCTOR_TYPE,
              ClassFile.ACC_PROTECTED | ClassFile.ACC_SYNTHETIC,
              code ->
                  code.aload(0)
                      .aload(1)
                      .invokespecial(superclass, INIT_NAME, MemoryNames.BINDING_CONSTRUCTOR_TYPE)
                      .return_());
          for (FieldInfo field : info.fields()) {
            if (isKept(field, hierarchy)) {
              builder.withField(
                  field.name() + MemoryNames.RECOVERED, field.type(), PsoDeclaration::remember);
            }
          }
          if (!initializes) {
            builder.withMethodBody(
                CLASS_INIT_NAME,
                MTD_void,
                ClassFile.ACC_STATIC,
                code -> {
                  declare(code);
                  code.return_();
                });
          }
        });
  }

  /// Whether a field is a reference to objects that are kept.
  private static boolean isKept(FieldInfo field, ClassHierarchy hierarchy) {
    return hierarchy.isPso(field.type())
        && Storage.of(field, hierarchy).equals(new Storage.Stored())
        && hierarchy.hasIdentity(field.type());
  }

  /// Says of a field that it is not stored, as any other that is not.
  private static void remember(FieldBuilder field) {
    field
        .withFlags(ClassFile.ACC_PRIVATE | ClassFile.ACC_TRANSIENT | ClassFile.ACC_SYNTHETIC)
        .with(RuntimeVisibleAnnotationsAttribute.of(Annotation.of(MemoryNames.HEAP_ONLY)));
  }

  private static void declare(CodeBuilder code) {
    code.invokestatic(CD_MethodHandles, "lookup", MethodTypeDesc.of(CD_MethodHandles_Lookup))
        .invokestatic(MemoryNames.LINKAGE, MemoryNames.DECLARE, MemoryNames.DECLARE_TYPE);
  }
}
