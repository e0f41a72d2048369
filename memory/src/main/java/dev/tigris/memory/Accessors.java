package dev.tigris.memory;

import java.lang.constant.ClassDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles.Lookup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The compiled accessors of the fields that one class declares: static methods of a hidden class
/// of this package. Their signatures name [Pso] instead of the class, which this module may not
/// see.
final class Accessors {
  private final Map<String, MethodHandle> getters = new HashMap<>();
  private final Map<String, MethodHandle> setters = new HashMap<>();

  private Accessors() {}

  /// Compiles the accessors of a layout's own fields.
  static Accessors of(PsoLayout layout) {
    List<Recipe> recipes = new ArrayList<>();
    List<String> methods = new ArrayList<>();
    for (PsoField field : layout.ownFields()) {
      recipes.add(Recipe.get(field, layout));
      if (!field.kind().isPart()) {
        recipes.add(Recipe.set(field, layout));
      }
    }
    for (int index = 0; index < recipes.size(); index++) {
      methods.add("accessor" + index);
    }
    List<Object> constants = new ArrayList<>();
    byte[] classFile =
        RecipeCompiler.compile(className(layout.type()), recipes, methods, constants);
    Accessors accessors = new Accessors();
    try {
      Lookup hidden =
          PsoClass.packageLookup().defineHiddenClassWithClassData(classFile, constants, true);
      int index = 0;
      for (PsoField field : layout.ownFields()) {
        accessors.getters.put(field.name(), find(hidden, recipes.get(index), methods.get(index++)));
        if (!field.kind().isPart()) {
          accessors.setters.put(
              field.name(), find(hidden, recipes.get(index), methods.get(index++)));
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("no accessors for " + layout.type().getName(), e);
    }
    return accessors;
  }

  /// Compiles one recipe that is not a field's.
  ///
  /// @throws IllegalArgumentException if it is not safe
  static MethodHandle compile(Class<?> type, Recipe recipe) {
    String method = "accessor";
    List<Object> constants = new ArrayList<>();
    byte[] classFile =
        RecipeCompiler.compile(className(type), List.of(recipe), List.of(method), constants);
    try {
      Lookup hidden =
          PsoClass.packageLookup().defineHiddenClassWithClassData(classFile, constants, true);
      return find(hidden, recipe, method);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("no accessor for " + recipe, e);
    }
  }

  private static ClassDesc className(Class<?> type) {
    return ClassDesc.of(Pso.class.getPackageName() + ".Accessors$" + type.getSimpleName());
  }

  private static MethodHandle find(Lookup hidden, Recipe recipe, String method)
      throws ReflectiveOperationException {
    return hidden.findStatic(hidden.lookupClass(), method, recipe.type());
  }

  /// The accessor `(Pso)T`.
  MethodHandle getter(String field) {
    return require(getters.get(field), field);
  }

  /// The accessor `(Pso,T)void`.
  MethodHandle setter(String field) {
    return require(setters.get(field), field);
  }

  private static MethodHandle require(
      @org.jspecify.annotations.Nullable MethodHandle accessor, String field) {
    if (accessor == null) {
      throw new IllegalStateException("no stored field " + field);
    }
    return accessor;
  }
}
