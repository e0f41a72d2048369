package dev.tigris.cluster.run;

import java.lang.reflect.InvocationTargetException;

/// Makes programs, and asks them for their flows.
final class Programs {
  private Programs() {}

  /// Returns the program's class, from where this class is, or else where the thread finds it.
  static Class<? extends FlowProgram> load(String name) throws ClassNotFoundException {
    Class<?> found = find(name);
    if (!FlowProgram.class.isAssignableFrom(found)) {
      throw new IllegalArgumentException(
          "class %s is no program: it does not implement %s"
              .formatted(name, FlowProgram.class.getName()));
    }
    return found.asSubclass(FlowProgram.class);
  }

  /// An engine of hosts may load programs by another loader, which it gives its threads.
  static Class<?> find(String name) throws ClassNotFoundException {
    try {
      return Class.forName(name, true, Programs.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      ClassLoader given = Thread.currentThread().getContextClassLoader();
      if (given == null) {
        throw e;
      }
      return Class.forName(name, true, given);
    }
  }

  /// Refuses a class of which another process cannot make a program.
  static void requireNamed(Class<?> program) {
    if (program.isHidden() || program.isAnonymousClass() || program.isLocalClass()) {
      throw new IllegalArgumentException(
          "%s has no name by which each process could find it: write a public class of its own"
              .formatted(program));
    }
  }

  /// Makes a program, and lets it describe its flow.
  ///
  /// @throws Exception what the program throws, or that none can be made
  static Described describe(Class<? extends FlowProgram> program, Arguments arguments)
      throws Exception {
    FlowProgram made;
    try {
      made = program.getConstructor().newInstance();
    } catch (NoSuchMethodException | InstantiationException | IllegalAccessException e) {
      throw new IllegalArgumentException(
          "%s has to be a public class, in an exported package, with a public constructor without parameters"
              .formatted(program),
          e);
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
    return Described.of(made, arguments);
  }
}
