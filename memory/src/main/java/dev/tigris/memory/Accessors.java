package dev.tigris.memory;

import java.lang.constant.ClassDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The compiled accessors of the fields that one class declares: static methods of hidden classes
/// of this package. Their signatures name [Pso] instead of the class, which this module may not
/// see.
final class Accessors {
  /// How many one hidden class has: a class file takes 65,535 constants, so 31 for each.
  private static final int MOST_IN_A_CLASS = 2048;

  private final Map<String, MethodHandle> getters = new HashMap<>();
  private final Map<String, MethodHandle> setters = new HashMap<>();

  private Accessors() {}

  /// Compiles the accessors of a layout's own fields.
  static Accessors of(PsoLayout layout) {
    List<Recipe> recipes = new ArrayList<>();
    for (PsoField field : layout.ownFields()) {
      recipes.add(Recipe.get(field, layout));
      if (!field.kind().isPart()) {
        recipes.add(Recipe.set(field, layout));
      }
    }
    Iterator<MethodHandle> compiled = compile(layout.type(), recipes).iterator();
    Accessors accessors = new Accessors();
    for (PsoField field : layout.ownFields()) {
      accessors.getters.put(field.name(), compiled.next());
      if (!field.kind().isPart()) {
        accessors.setters.put(field.name(), compiled.next());
      }
    }
    return accessors;
  }

  /// Compiles one recipe that is not a field's.
  ///
  /// @throws IllegalArgumentException if it is not safe
  static MethodHandle compile(Class<?> type, Recipe recipe) {
    return compile(type, List.of(recipe)).getFirst();
  }

  /// Compiles recipes to methods of hidden classes, which are returned in the same order.
  private static List<MethodHandle> compile(Class<?> of, List<Recipe> recipes) {
    List<MethodHandle> accessors = new ArrayList<>();
    for (int from = 0; from < recipes.size(); from += MOST_IN_A_CLASS) {
      int to = Math.min(from + MOST_IN_A_CLASS, recipes.size());
      accessors.addAll(compileInOneClass(of, recipes.subList(from, to)));
    }
    return accessors;
  }

  private static List<MethodHandle> compileInOneClass(Class<?> of, List<Recipe> recipes) {
    List<String> methods = new ArrayList<>();
    for (int index = 0; index < recipes.size(); index++) {
      methods.add("accessor" + index);
    }
    List<Object> constants = new ArrayList<>();
    byte[] classFile =
        RecipeCompiler.compile(className(of), PsoClass.of(of), recipes, methods, constants);
    List<MethodHandle> accessors = new ArrayList<>();
    try {
      Lookup hidden =
          PsoClass.packageLookup().defineHiddenClassWithClassData(classFile, constants, true);
      for (int index = 0; index < recipes.size(); index++) {
        MethodType type = recipes.get(index).type();
        accessors.add(hidden.findStatic(hidden.lookupClass(), methods.get(index), type));
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("no accessors for " + of.getName(), e);
    }
    return accessors;
  }

  private static ClassDesc className(Class<?> type) {
    // Not the simple name: to tell that, the JVM loads the classes around it, which may be missing.
    String name = type.getName();
    String inPackage = name.substring(name.lastIndexOf('.') + 1);
    return ClassDesc.of(Pso.class.getPackageName() + ".Accessors$" + inPackage);
  }

  /// The accessor `(Pso)T`.
  MethodHandle getter(String field) {
    return require(getters.get(field), field);
  }

  /// The accessor `(Pso,T)void`.
  MethodHandle setter(String field) {
    return require(setters.get(field), field);
  }

  private static MethodHandle require(@Nullable MethodHandle accessor, String field) {
    if (accessor == null) {
      throw new IllegalStateException("no stored field " + field);
    }
    return accessor;
  }
}
