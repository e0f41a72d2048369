package dev.tigris.message.call;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Pso;
import dev.tigris.message.call.ServiceModel.Form;
import dev.tigris.message.call.ServiceModel.MethodModel;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Makes the implementation of a service that calls a server: a class beside the interface, whose
/// methods pass their parameters on one by one.
///
/// ```java
/// Order find(long id) {
///   return (Order) begin(0).put(id).callObject();
/// }
/// ```
final class StubFactory {
  private static final ClassDesc STUB = desc(Stub.class);
  private static final ClassDesc INVOCATION = desc(Invocation.class);
  private static final MethodTypeDesc CONSTRUCTOR =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object);

  /// By interface, what makes its stubs: `(Object) Object`.
  private static final ClassValue<MethodHandle> CONSTRUCTORS =
      new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> type) {
          return define(ServiceModel.of(type));
        }
      };

  private StubFactory() {}

  private static ClassDesc desc(Class<?> type) {
    return ClassDesc.ofDescriptor(type.descriptorString());
  }

  /// Makes a stub.
  static <T> T make(Class<T> type, ClientHub client) {
    return make(type, client, 0);
  }

  /// Makes a stub.
  ///
  /// @param limitNanos how long its calls may take; 0 for what the options of the client say
  static <T> T make(Class<T> type, ClientHub client, long limitNanos) {
    Stub.Binding binding = new Stub.Binding(client, ServiceModel.of(type), limitNanos);
    try {
      return type.cast((Object) CONSTRUCTORS.get(type).invokeExact((Object) binding));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("the constructor of a stub throws nothing else", e);
    }
  }

  private static MethodHandle define(ServiceModel service) {
    MethodHandles.Lookup lookup = ServiceModel.lookup(service.type());
    String name = lookup.lookupClass().getPackageName();
    String simple = service.type().getSimpleName() + "$Calls";
    ClassDesc self = ClassDesc.of(name.isEmpty() ? simple : name + "." + simple);
    byte[] bytes =
        ClassFile.of()
            .build(
                self,
                builder -> {
                  builder.withFlags(
                      ClassFile.ACC_FINAL | ClassFile.ACC_SUPER | ClassFile.ACC_SYNTHETIC);
                  builder.withSuperclass(STUB).withInterfaceSymbols(desc(service.type()));
                  constructor(builder);
                  List<MethodModel> methods = service.methods();
                  for (int i = 0; i < methods.size(); i++) {
                    method(builder, self, i, methods.get(i));
                  }
                });
    try {
      Class<?> made = define(lookup, name.isEmpty() ? simple : name + "." + simple, bytes);
      return MethodHandles.privateLookupIn(made, MethodHandles.lookup())
          .findConstructor(made, MethodType.methodType(void.class, Object.class))
          .asType(MethodType.methodType(Object.class, Object.class));
    } catch (ReflectiveOperationException | LinkageError e) {
      throw new IllegalArgumentException(
          "%s cannot be implemented beside itself: its module must read dev.tigris.message"
              .formatted(service.type().getName()),
          e);
    }
  }

  /// Defines the class beside the lookup's. A lookup into another module may not define hidden
  /// classes, and then the class has its name for good.
  private static Class<?> define(MethodHandles.Lookup lookup, String name, byte[] bytes)
      throws IllegalAccessException, ClassNotFoundException {
    if (lookup.hasFullPrivilegeAccess()) {
      return lookup.defineHiddenClass(bytes, true).lookupClass();
    }
    try {
      return lookup.defineClass(bytes);
    } catch (LinkageError e) { // another thread has just defined it
      return lookup.findClass(name);
    }
  }

  private static void constructor(ClassBuilder builder) {
    builder.withMethodBody(
        ConstantDescs.INIT_NAME,
        CONSTRUCTOR,
        ClassFile.ACC_PUBLIC,
        code ->
            code.aload(0)
                .aload(1)
                .invokespecial(STUB, ConstantDescs.INIT_NAME, CONSTRUCTOR)
                .return_());
  }

  private static void method(ClassBuilder builder, ClassDesc self, int index, MethodModel model) {
    Method method = model.method();
    MethodType type = MethodType.methodType(method.getReturnType(), method.getParameterTypes());
    builder.withMethodBody(
        method.getName(),
        MethodTypeDesc.ofDescriptor(type.descriptorString()),
        ClassFile.ACC_PUBLIC,
        code -> {
          code.aload(0).loadConstant(index);
          code.invokevirtual(self, "begin", MethodTypeDesc.of(INVOCATION, ConstantDescs.CD_int));
          int slot = 1;
          for (Class<?> parameter : method.getParameterTypes()) {
            TypeKind kind = TypeKind.from(parameter);
            code.loadLocal(kind, slot);
            slot += kind.slotSize();
            code.invokevirtual(
                INVOCATION, "put", MethodTypeDesc.of(INVOCATION, desc(passed(parameter))));
          }
          end(code, model);
        });
  }

  /// The type that a parameter is passed as.
  private static Class<?> passed(Class<?> parameter) {
    return Pso.class.isAssignableFrom(parameter) ? Pso.class : parameter;
  }

  /// Calls, and returns what comes back.
  private static void end(CodeBuilder code, MethodModel model) {
    Class<?> result = model.method().getReturnType();
    if (model.form() == Form.FUTURE) {
      call(code, "callFuture", CompletableFuture.class).areturn();
      return;
    }
    if (model.form() == Form.STREAM) {
      call(code, "callStream", Results.class).areturn();
      return;
    }
    switch (model.signature().result().kind()) {
      case VOID -> call(code, "callVoid", void.class).return_();
      case FLOAT -> call(code, "callFloat", float.class).freturn();
      case DOUBLE -> call(code, "callDouble", double.class).dreturn();
      case LONG -> call(code, "callLong", long.class).lreturn();
      case TEXT -> call(code, "callText", String.class).areturn();
      case BYTES -> call(code, "callBytes", Bytes.class).areturn();
      case OBJECT -> call(code, "callObject", Pso.class).checkcast(desc(result)).areturn();
      case BOOLEAN, BYTE, SHORT, CHAR, INT -> call(code, "callInt", int.class).ireturn();
    }
  }

  private static CodeBuilder call(CodeBuilder code, String name, Class<?> result) {
    return code.invokevirtual(INVOCATION, name, MethodTypeDesc.of(desc(result)));
  }
}
