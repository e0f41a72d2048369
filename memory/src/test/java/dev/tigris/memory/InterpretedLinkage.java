package dev.tigris.memory;

import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Links call sites to the [interpreter of recipes][RecipeInterpreter], where [PsoLinkage] links
/// them to what the compiler makes of the same recipes.
public final class InterpretedLinkage {
  private static final MethodHandle RUN;

  static {
    try {
      RUN =
          MethodHandles.lookup()
              .findStatic(
                  RecipeInterpreter.class,
                  "run",
                  MethodType.methodType(Object.class, Recipe.class, Pso.class, Object.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private InterpretedLinkage() {}

  /// Stands in for [PsoLinkage#field].
  public static CallSite field(
      Lookup caller, String operation, MethodType type, Class<?> owner, String name) {
    boolean get = operation.equals("get");
    Recipe recipe = recipe(owner, name, get);
    recipe.verify();
    MethodHandle run = MethodHandles.insertArguments(RUN, 0, recipe);
    if (get) {
      run = MethodHandles.insertArguments(run, 1, (@Nullable Object) null);
    }
    return new ConstantCallSite(run.asType(type));
  }

  private static Recipe recipe(Class<?> owner, String name, boolean get) {
    for (Class<?> at = owner; at != Pso.class; at = at.getSuperclass()) {
      PsoLayout layout = PsoLayout.of(at.asSubclass(Pso.class));
      Optional<PsoField> field =
          layout.ownFields().stream().filter(own -> own.name().equals(name)).findFirst();
      if (field.isPresent()) {
        return get ? Recipe.get(field.get(), layout) : Recipe.set(field.get(), layout);
      }
    }
    throw new NoSuchFieldError(owner.getName() + "." + name);
  }
}
