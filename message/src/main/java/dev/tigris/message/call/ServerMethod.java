package dev.tigris.message.call;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Pso;
import dev.tigris.message.call.ServiceModel.Form;
import dev.tigris.message.call.ServiceModel.MethodModel;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A method that a server serves, with a handle that reads the arguments of a [ServerCall], runs
/// the method and keeps its result there: `(ServerCall) void`, without boxes and arrays.
final class ServerMethod {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  private final MethodModel model;
  private final MethodHandle handle;
  private final boolean runsInHandler;

  private final Class<?>[] parameters;

  /// Of a method that runs in the handler: the memory of its arguments. Each method has its own, so
  /// that its container has the same root object each time.
  @Nullable CallBuffer arguments;

  private ServerMethod(MethodModel model, MethodHandle handle, boolean runsInHandler) {
    this.model = model;
    this.handle = handle;
    this.parameters = model.method().getParameterTypes();
    this.runsInHandler = runsInHandler && model.form() == Form.PLAIN;
  }

  static ServerMethod of(MethodModel model, Implementation of) {
    MethodHandles.Lookup lookup = ServiceModel.lookup(of.service().type());
    try {
      MethodHandle target = lookup.unreflect(model.method()).bindTo(of.target());
      return new ServerMethod(model, handle(target, model), of.runsInHandler());
    } catch (IllegalAccessException e) {
      throw new IllegalArgumentException(
          "%s is not accessible: declare its interface public, or open its package"
              .formatted(model.signature().fullName()),
          e);
    }
  }

  private static MethodHandle handle(MethodHandle target, MethodModel model) {
    MethodType type = target.type();
    MethodHandle writer = writer(model);
    MethodHandle all =
        type.returnType() == void.class
            ? MethodHandles.collectArguments(writer, 1, target)
            : MethodHandles.collectArguments(
                writer, 1, target.asType(type.changeReturnType(writer.type().parameterType(1))));
    int[] order = new int[type.parameterCount() + 1];
    for (int i = 0; i < type.parameterCount(); i++) {
      all = MethodHandles.filterArguments(all, i + 1, reader(type.parameterType(i), i));
    }
    return MethodHandles.permuteArguments(
        all, MethodType.methodType(void.class, ServerCall.class), order);
  }

  private static final Map<Class<?>, String> READERS =
      Map.of(
          boolean.class, "readBoolean",
          byte.class, "readByte",
          short.class, "readShort",
          char.class, "readChar",
          int.class, "readInt",
          long.class, "readLong",
          float.class, "readFloat",
          double.class, "readDouble",
          String.class, "readText",
          Bytes.class, "readBytes");

  private static MethodHandle reader(Class<?> type, int index) {
    String name = READERS.get(type);
    Class<?> returned = name == null ? Pso.class : type;
    MethodHandle reader =
        find(name == null ? "readObject" : name, MethodType.methodType(returned, int.class));
    return MethodHandles.insertArguments(reader, 1, index)
        .asType(MethodType.methodType(type, ServerCall.class));
  }

  private static MethodHandle writer(MethodModel model) {
    return switch (model.form()) {
      case FUTURE -> find("write", MethodType.methodType(void.class, CompletableFuture.class));
      case STREAM -> find("write", MethodType.methodType(void.class, Results.class));
      case PLAIN ->
          switch (model.signature().result().kind()) {
            case VOID -> find("write", MethodType.methodType(void.class));
            case FLOAT -> find("write", MethodType.methodType(void.class, float.class));
            case DOUBLE -> find("write", MethodType.methodType(void.class, double.class));
            case BOOLEAN -> find("write", MethodType.methodType(void.class, boolean.class));
            case BYTE, SHORT, CHAR, INT, LONG ->
                find("write", MethodType.methodType(void.class, long.class));
            case TEXT -> find("write", MethodType.methodType(void.class, String.class));
            case BYTES -> find("write", MethodType.methodType(void.class, Bytes.class));
            case OBJECT -> find("write", MethodType.methodType(void.class, Pso.class));
          };
    };
  }

  private static MethodHandle find(String name, MethodType type) {
    try {
      return LOOKUP.findVirtual(ServerCall.class, name, type);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("ServerCall has no %s%s".formatted(name, type), e);
    }
  }

  long id() {
    return model.signature().id();
  }

  Signature signature() {
    return model.signature();
  }

  Class<?> parameter(int index) {
    return parameters[index];
  }

  boolean isStream() {
    return model.form() == Form.STREAM;
  }

  boolean runsInHandler() {
    return runsInHandler;
  }

  /// Runs the method for a call.
  void run(ServerCall call) throws Throwable {
    handle.invokeExact(call);
  }
}
