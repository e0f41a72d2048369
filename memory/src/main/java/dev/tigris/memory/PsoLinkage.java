package dev.tigris.memory;

import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.util.Optional;

/// The bootstrap methods of specialized classes. They are public because the JVM calls them in the
/// name of those classes. They give a caller no more than a field access in the same place would.
///
/// Thread rule: any thread. What is computed for a class is the same for all call sites of it.
public final class PsoLinkage {
  private static final String GET = "get";
  private static final String SET = "set";
  private static final String ELEMENT = "element";

  private PsoLinkage() {}

  /// Declares a specialized class. Each calls this before anything else, with its own lookup, which
  /// is what allows this module to make objects of it.
  ///
  /// @throws IllegalArgumentException if the lookup isn't the class's own
  public static void declare(Lookup own) {
    if (!own.hasFullPrivilegeAccess()) {
      throw new IllegalArgumentException(own + " cannot declare a class");
    }
    PsoClass.of(own.lookupClass()).declare(own);
  }

  /// Returns what objects of a specialized class are. Its constructors hand it on to that of [Pso]
  /// as a constant. Other code has no use for it.
  ///
  /// @param own the class's lookup
  public static Object made(Lookup own, String name, Class<?> type) {
    return PsoClass.of(own.lookupClass()).made();
  }

  /// Links a call site that stands for `getfield` or `putfield`.
  ///
  /// @param caller the class around the call site, with its rights
  /// @param operation `get` or `set`
  /// @param type `(R)T` or `(R,T)void`, where R is `owner` or a subclass
  /// @param owner the class that the field instruction named
  /// @param field the field's name
  /// @throws NoSuchFieldError if there is no such field of that type
  /// @throws IllegalAccessError if the caller may not access it
  /// @throws IncompatibleClassChangeError if the call site isn't one for such a field
  public static CallSite field(
      Lookup caller, String operation, MethodType type, Class<?> owner, String field) {
    boolean get = operation.equals(GET) && type.parameterCount() == 1;
    boolean set =
        operation.equals(SET) && type.parameterCount() == 2 && type.returnType() == void.class;
    if (!get && !set) {
      throw new IncompatibleClassChangeError("no field access is called " + operation + type);
    }
    // What the caller may do with the field itself decides what it may do here.
    Class<?> fieldType = get ? type.returnType() : type.parameterType(1);
    DeclaredField declared = DeclaredField.find(owner, field, fieldType);
    MethodHandle plain =
        declared == null
            ? plainAccess(caller, owner, field, fieldType, get)
            : plainAccess(caller, declared.from(), field, declared.field().getType(), get);
    Class<?> receiver = plain.type().parameterType(0);
    if (!receiver.isAssignableFrom(type.parameterType(0))) {
      throw new IncompatibleClassChangeError(
          "a call site for %s.%s takes a %s, not a %s"
              .formatted(
                  owner.getName(), field, receiver.getName(), type.parameterType(0).getName()));
    }
    MethodHandleInfo info = caller.revealDirect(plain);
    MethodHandle accessor = accessor(info.getDeclaringClass(), field, plain, get);
    if (declared == null) {
      // To the JVM there is one, which is what is left of a field of another type.
      throw noSuchField(caller, owner, field, fieldType);
    }
    return new ConstantCallSite(accessor.asType(type));
  }

  /// Links a call site that stands for [PsoCursor#element] or [PsoCollection#get], for code that
  /// expects objects of one class. Whatever class that is, the site gives what the method gives.
  ///
  /// @param caller the class around the call site
  /// @param operation `element`
  /// @param type `(PsoCursor)Pso`, or `(C,long)Pso` where C is a class of collections
  /// @param expected what the code casts the element to
  /// @throws IncompatibleClassChangeError if the call site isn't one for that
  public static CallSite element(
      Lookup caller, String operation, MethodType type, Class<?> expected) {
    if (operation.equals(ELEMENT) && type.equals(PsoCursor.ELEMENT_TYPE)) {
      return new ConstantCallSite(PsoCursor.elementOf(expected));
    }
    if (operation.equals(ELEMENT)
        && type.parameterCount() == 2
        && PsoCollection.class.isAssignableFrom(type.parameterType(0))
        && type.changeParameterType(0, PsoCollection.class).equals(PsoCollection.GET_TYPE)) {
      return new ConstantCallSite(PsoCollection.elementOf(expected).asType(type));
    }
    throw new IncompatibleClassChangeError("no cursor and no collection has " + operation + type);
  }

  /// Links a call site that stands for a call of a text's method.
  ///
  /// @param caller the class around the call site, with its rights
  /// @param method the method's name
  /// @param type `(Utf8,...)T`, behind the text as the method is declared
  /// @throws NoSuchMethodError if there is no such method
  /// @throws IllegalAccessError if the caller may not call it
  /// @throws IncompatibleClassChangeError if the call site isn't one for a text
  public static CallSite text(Lookup caller, String method, MethodType type) {
    if (type.parameterCount() == 0 || type.parameterType(0) != Utf8.class) {
      throw new IncompatibleClassChangeError("no text has " + method + type);
    }
    try {
      MethodType declared = type.dropParameterTypes(0, 1);
      return new ConstantCallSite(caller.findVirtual(Utf8.class, method, declared));
    } catch (NoSuchMethodException e) {
      throw asError(new NoSuchMethodError("a text has no " + method + type), e);
    } catch (IllegalAccessException e) {
      throw asError(new IllegalAccessError(e.getMessage()), e);
    }
  }

  /// Links a call site that stands for a method without a body to the recipe that a restricted rule
  /// wrote for it.
  ///
  /// A class may touch any byte of its own fields, so its methods may have any recipe that keeps to
  /// them; and nobody else's may. The class's superclass must be [Pso], since a recipe would not
  /// know which bytes are private to one in between.
  ///
  /// @param caller the class of objects around the call site, with its rights
  /// @param name the method's, for stack traces
  /// @param type `(C)T` or `(C,T)U`, where C is the class and the others are primitive
  /// @param recipe as [RecipeText] reads it
  /// @throws IllegalAccessError if the caller is no such class, or has not all its rights
  /// @throws IncompatibleClassChangeError if the recipe is none, or isn't safe for the class
  public static CallSite recipe(Lookup caller, String name, MethodType type, String recipe) {
    Class<?> owner = caller.lookupClass();
    if (!caller.hasFullPrivilegeAccess() || owner.getSuperclass() != Pso.class) {
      throw new IllegalAccessError(
          caller + " may not lay a recipe over objects: only a class that extends Pso may");
    }
    if (type.parameterCount() == 0
        || type.parameterType(0) != owner
        || !type.dropParameterTypes(0, 1).parameterList().stream().allMatch(Class::isPrimitive)
        || !type.returnType().isPrimitive()) {
      throw new IncompatibleClassChangeError(
          "a recipe of %s cannot be linked as %s%s".formatted(owner.getName(), name, type));
    }
    PsoLayout layout = PsoClass.of(owner).layout();
    try {
      Recipe read =
          new Recipe(
              name,
              type.changeParameterType(0, Pso.class),
              layout.endBytes(),
              0,
              0,
              RecipeText.parse(recipe));
      return new ConstantCallSite(Accessors.compile(owner, read).asType(type));
    } catch (IllegalArgumentException e) {
      throw asError(
          new IncompatibleClassChangeError(owner.getName() + "." + name + ": " + e.getMessage()),
          e);
    }
  }

  private static MethodHandle plainAccess(
      Lookup caller, Class<?> owner, String field, Class<?> type, boolean get) {
    try {
      return get ? caller.findGetter(owner, field, type) : caller.findSetter(owner, field, type);
    } catch (NoSuchFieldException e) {
      throw asError(noSuchField(caller, owner, field, type), e);
    } catch (IllegalAccessException e) {
      throw asError(
          isStatic(caller, owner, field, type)
              ? new IncompatibleClassChangeError(
                  "%s.%s is static: compile %s against it again"
                      .formatted(owner.getName(), field, caller.lookupClass().getName()))
              : new IllegalAccessError(e.getMessage()),
          e);
    }
  }

  private static boolean isStatic(Lookup caller, Class<?> owner, String field, Class<?> type) {
    try {
      caller.findStaticGetter(owner, field, type);
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  private static NoSuchFieldError noSuchField(
      Lookup caller, Class<?> owner, String field, Class<?> type) {
    return new NoSuchFieldError(
        "%s has no field '%s %s': compile %s against it again"
            .formatted(owner.getName(), type.getTypeName(), field, caller.lookupClass().getName()));
  }

  private static <E extends Error> E asError(E error, Exception cause) {
    error.initCause(cause);
    return error;
  }

  private static MethodHandle accessor(
      Class<?> declaring, String field, MethodHandle plain, boolean get) {
    boolean isPso = Pso.class.isAssignableFrom(declaring) && declaring != Pso.class;
    if (!isPso) {
      throw new IncompatibleClassChangeError(
          declaring.getName() + " is no class of pre-serialized objects: compile against it again");
    }
    PsoClass type = PsoClass.of(declaring);
    Optional<PsoField> stored =
        type.layout().ownFields().stream().filter(own -> own.name().equals(field)).findFirst();
    if (stored.isEmpty()) {
      // It was stored when the caller was compiled, and is @HeapOnly in the class as it is now.
      return plain;
    }
    if (!get && stored.get().kind().isPart()) {
      throw new IncompatibleClassChangeError(
          "%s.%s lies in the object and cannot be assigned: change what it holds"
              .formatted(declaring.getName(), field));
    }
    return get ? type.accessors().getter(field) : type.accessors().setter(field);
  }
}
