package dev.tigris.memory;

import java.io.Serial;

/// Thrown by the constructor of a [Pso] class that the specializer has not rewritten. Its fields
/// would be plain Java fields, and the container would stay empty.
public final class UnspecializedClassException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1;

  private static final String FORGOTTEN =
      """
      %s was not specialized, so its fields are not in the container. Let its module's build run \
      the goals 'specialize' and 'test-specialize' of \
      dev.tigris:tigris-specializer-maven-plugin, or run './tigris specialize' on its classes. \
      If they carry code patches, start java with -javaagent: and the jar of tigris-specializer; \
      if not, add its option =rules= and a file that says pso-field\
      """;

  private static final String HIDDEN =
      """
      %s is a hidden class, whose objects cannot lie in a container: give its bytes to the \
      specializer, and define it by a class loader or Lookup.defineClass\
      """;

  UnspecializedClassException(Class<?> type) {
    super((type.isHidden() ? HIDDEN : FORGOTTEN).formatted(type.getName()));
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
