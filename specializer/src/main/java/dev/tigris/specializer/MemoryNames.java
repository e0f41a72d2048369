package dev.tigris.specializer;

import static java.lang.constant.ConstantDescs.CD_CallSite;
import static java.lang.constant.ConstantDescs.CD_Class;
import static java.lang.constant.ConstantDescs.CD_MethodHandles_Lookup;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.tigris.specializer.structure.StructureParser;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Every name of `dev.tigris.memory` that the specializer looks for or writes into a class file.
///
/// The specializer must not depend on `memory` (whose own tests it specializes), so the names are
/// spelled out here, once; a test in `memory` compares them with the real classes.
public final class MemoryNames {
  private static final String PACKAGE = "dev.tigris.memory";

  /// The superclass of all pre-serialized objects.
  public static final ClassDesc PSO = ClassDesc.of(PACKAGE, "Pso");

  /// The annotation of fields that stay in the Java object.
  public static final ClassDesc HEAP_ONLY = ClassDesc.of(PACKAGE, "HeapOnly");

  /// The annotation that says how much a text or an array in place holds.
  public static final ClassDesc CAPACITY = ClassDesc.of(PACKAGE, "Capacity");

  /// The annotation of objects that lie in the object.
  public static final ClassDesc IN_PLACE = ClassDesc.of(PACKAGE, "InPlace");

  /// The annotation of classes whose objects are kept by what refers to them.
  public static final ClassDesc IDENTITY = ClassDesc.of(PACKAGE, "Identity");

  /// Text.
  public static final ClassDesc TEXT = ClassDesc.of(PACKAGE, "Utf8");

  /// The views that are arrays, and the bytes of an element.
  public static final Map<ClassDesc, Integer> VIEWS =
      Map.of(
          ClassDesc.of(PACKAGE, "Bytes"), Byte.BYTES,
          ClassDesc.of(PACKAGE, "Shorts"), Short.BYTES,
          ClassDesc.of(PACKAGE, "Chars"), Character.BYTES,
          ClassDesc.of(PACKAGE, "Ints"), Integer.BYTES,
          ClassDesc.of(PACKAGE, "Longs"), Long.BYTES,
          ClassDesc.of(PACKAGE, "Floats"), Float.BYTES,
          ClassDesc.of(PACKAGE, "Doubles"), Double.BYTES);

  /// The types of fields that need a [#CAPACITY]: text, and the views that are arrays.
  public static final Set<ClassDesc> SIZED =
      Stream.concat(Stream.of(TEXT), VIEWS.keySet().stream())
          .collect(Collectors.toUnmodifiableSet());

  public static final ClassDesc TABLE = ClassDesc.of(PACKAGE, "PsoTable");

  /// The objects whose elements are of a class that only a field's declaration says.
  public static final Set<ClassDesc> COLLECTIONS = Set.of(ClassDesc.of(PACKAGE, "PsoList"), TABLE);

  /// The superclass of those.
  public static final ClassDesc COLLECTION = ClassDesc.of(PACKAGE, "PsoCollection");

  /// The objects that differ in size, which cannot lie in another one.
  public static final Set<ClassDesc> VARYING =
      Stream.concat(COLLECTIONS.stream(), Stream.of(ClassDesc.of(PACKAGE, "PsoArray")))
          .collect(Collectors.toUnmodifiableSet());

  /// What visits the elements of a collection.
  public static final ClassDesc CURSOR = ClassDesc.of(PACKAGE, "PsoCursor");

  /// What the name of a reference is followed by in the name of the field that keeps what was
  /// recovered from it. Java has no such names, so it hides no field of the class.
  public static final String RECOVERED = "-recovered";

  /// Where objects lie: what their constructors pass on to the superclass.
  public static final ClassDesc CONTAINER = ClassDesc.of(PACKAGE, "Container");

  /// The parameter of the constructor that binds an object to bytes which are already there.
  public static final ClassDesc BINDING = ClassDesc.of(PACKAGE, "PsoBinding");

  /// The class that rewritten code calls.
  public static final ClassDesc LINKAGE = ClassDesc.of(PACKAGE, "PsoLinkage");

  /// `static void declare(MethodHandles.Lookup)`: called first by each specialized class.
  public static final String DECLARE = "declare";

  /// The type of [#DECLARE].
  public static final MethodTypeDesc DECLARE_TYPE =
      MethodTypeDesc.of(CD_void, CD_MethodHandles_Lookup);

  /// The type of the binding constructor.
  public static final MethodTypeDesc BINDING_CONSTRUCTOR_TYPE = MethodTypeDesc.of(CD_void, BINDING);

  /// `static Object made(Lookup, String, Class)`: what the constructors of a class of objects hand
  /// on to those of [#PSO], as a constant.
  public static final DirectMethodHandleDesc MADE_BOOTSTRAP =
      ConstantDescs.ofConstantBootstrap(LINKAGE, "made", ConstantDescs.CD_Object);

  /// The type of the constructor of [#PSO] that programs call.
  public static final MethodTypeDesc CONSTRUCTOR_TYPE = MethodTypeDesc.of(CD_void, CONTAINER);

  /// The type of the constructor that takes its place, which also takes what is made.
  public static final MethodTypeDesc MADE_CONSTRUCTOR_TYPE =
      MethodTypeDesc.of(CD_void, CONTAINER, ConstantDescs.CD_Object);

  /// The name of a call site that reads a field; its type is `(Owner)T`.
  public static final String GET = "get";

  /// The name of a call site that writes a field; its type is `(Owner,T)void`.
  public static final String SET = "set";

  /// `static CallSite field(Lookup, String, MethodType, Class owner, String fieldName)`: links a
  /// [#GET] or [#SET].
  public static final DirectMethodHandleDesc FIELD_BOOTSTRAP =
      ConstantDescs.ofCallsiteBootstrap(LINKAGE, "field", CD_CallSite, CD_Class, CD_String);

  /// `Pso element()` of a [#CURSOR], and the name of a call site that stands for it, or for `Pso
  /// get(long)` of a [#COLLECTION]; its type is `(PsoCursor)Pso` or `(C,long)Pso`.
  public static final String ELEMENT = "element";

  /// `static CallSite element(Lookup, String, MethodType, Class expected)`: links an [#ELEMENT].
  public static final DirectMethodHandleDesc ELEMENT_BOOTSTRAP =
      ConstantDescs.ofCallsiteBootstrap(LINKAGE, "element", CD_CallSite, CD_Class);

  /// `static CallSite text(Lookup, String, MethodType)`: links a call of a public method of a
  /// [#TEXT]; the type is the method's behind `(Utf8`.
  public static final DirectMethodHandleDesc TEXT_BOOTSTRAP =
      ConstantDescs.ofCallsiteBootstrap(LINKAGE, "text", CD_CallSite);

  /// `static CallSite recipe(Lookup, String, MethodType, String recipe)`: links what stands for a
  /// method without a body.
  public static final DirectMethodHandleDesc RECIPE_BOOTSTRAP =
      ConstantDescs.ofCallsiteBootstrap(LINKAGE, "recipe", CD_CallSite, CD_String);

  /// The most instructions that such a recipe may have.
  public static final int MAX_INSTRUCTIONS = StructureParser.MAX_INSTRUCTIONS;

  /// The largest object, in bytes.
  public static final int MAX_BYTES = StructureParser.MAX_BYTES;

  private MemoryNames() {}
}
