package dev.tigris.memory;

import java.io.Serial;

/// Thrown where the specializer has not rewritten a class that it has to. The fields of a [Pso]
/// class would be plain Java fields, so that its constructor throws this. Code that accesses fields
/// of such a class would find none, so that the first use of the class throws this.
public final class UnspecializedClassException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1;

  /// What to do about any class that the specializer has not seen.
  private static final String ADVICE =
      """
      Let the build of its module run the goals 'specialize' and, for tests, 'test-specialize' of \
      dev.tigris:tigris-specializer-maven-plugin, or run 'tigris specialize', or java -jar \
      tigris-specializer.jar, on its classes. Where an IDE compiles them, start java with \
      -javaagent: and that jar\
      """;

  private static final String FORGOTTEN =
      "%s was not specialized, so its fields are not in the container. " + ADVICE;

  private static final String USER =
      """
      %s accesses fields of %s, such as '%s', and was not specialized: it would find no such field. \
      """
          + ADVICE;

  private static final String HIDDEN =
      """
      %s is a hidden class, whose objects cannot lie in a container: give its bytes to the \
      specializer, and define it by a class loader or Lookup.defineClass\
      """;

  UnspecializedClassException(Class<?> type) {
    super((type.isHidden() ? HIDDEN : FORGOTTEN).formatted(type.getName()));
  }

  /// Code that was not specialized uses a class of objects that was.
  UnspecializedClassException(Class<?> user, Class<?> type, String field) {
    super(USER.formatted(user.getName(), type.getName(), field));
  }

  UnspecializedClassException(Class<?> type, String field) {
    super(
        """
        %s was specialized by an earlier version, or before objects of its field '%s' had an \
        identity. Its Java objects have no room for what that refers to. Compile the class again, \
        and specialize the result\
        """
            .formatted(type.getName(), field));
  }
}
