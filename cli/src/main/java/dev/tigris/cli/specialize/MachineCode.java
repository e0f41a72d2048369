package dev.tigris.cli.specialize;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoLayout;
import dev.tigris.specializer.ClassSource;
import dev.tigris.specializer.MemoryNames;
import dev.tigris.specializer.Specializer;
import java.lang.classfile.AccessFlags;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/// Measures how many bytes of machine code a call site comes to where C2 inlines it.
///
/// The class of objects is loaded once more, with two methods beside its own: one that does nothing
/// but run the call site, and one that takes and gives the same and does nothing at all. Both are
/// called until C2 has compiled them, and the JVM is asked for their sizes (as `jcmd
/// Compiler.codelist` does); the difference is the call site's. The class is initialized for it.
public final class MachineCode {
  /// How the two methods are called; a number follows that tells those of several sites apart.
  private static final String WITH = "tigris$with";

  private static final String WITHOUT = "tigris$without";

  /// More than C2 waits for, at the most often that it is asked for.
  private static final int CALLS = 10_000;

  /// Longer methods are inlined nowhere (`-XX:FreqInlineSize`).
  private static final int INLINED_BYTES = 325;

  private static final int MOST_ROUNDS = 100;

  private final ClassSource classes;
  private final Specializer specializer;
  private final Map<DynamicCallSiteDesc, OptionalInt> known = new HashMap<>();

  /// Finds the classes, as they were compiled or specialized, in `classes`.
  public MachineCode(ClassSource classes, Specializer specializer) {
    this.classes = classes;
    this.specializer = specializer;
  }

  /// Returns the size of a call site's code.
  ///
  /// @return nothing if that cannot be measured: the JVM has no C2, or there is no object of the
  ///     class that could be laid over some bytes
  public OptionalInt bytes(DynamicCallSiteDesc site) {
    OptionalInt bytes = known.get(site);
    if (bytes == null) {
      bytes = measure(site);
      known.put(site, bytes);
    }
    return bytes;
  }

  private OptionalInt measure(DynamicCallSiteDesc site) {
    ClassDesc owner = site.invocationType().parameterType(0);
    try {
      Class<? extends Pso> type =
          new Loader(owner, site).loadClass(nameOf(owner)).asSubclass(Pso.class);
      Pso object = Jbuf.allocate(PsoLayout.of(type).sizeBytes()).asRawContainer().at(0, type);
      OptionalInt with = compiledBytes(type, WITH + known.size(), object);
      OptionalInt without = compiledBytes(type, WITHOUT + known.size(), object);
      return with.isPresent() && without.isPresent()
          ? OptionalInt.of(with.getAsInt() - without.getAsInt())
          : OptionalInt.empty();
    } catch (ReflectiveOperationException | JMException | LinkageError | RuntimeException e) {
      // Whatever the class does when it is loaded and initialized here, it was not asked for that.
      return OptionalInt.empty();
    }
  }

  private static OptionalInt compiledBytes(Class<?> type, String name, Pso object)
      throws ReflectiveOperationException, JMException {
    for (Method method : type.getDeclaredMethods()) {
      if (method.getName().equals(name)) {
        Object[] arguments = new Object[method.getParameterCount()];
        arguments[0] = object;
        for (int index = 1; index < arguments.length; index++) {
          arguments[index] = zero(method.getParameterTypes()[index]);
        }
        for (int round = 0; round < MOST_ROUNDS; round++) {
          for (int call = 0; call < CALLS; call++) {
            method.invoke(null, arguments);
          }
          OptionalInt bytes = codeBytes(type.getName() + "." + name + "(");
          if (bytes.isPresent()) {
            return bytes;
          }
        }
      }
    }
    return OptionalInt.empty();
  }

  private static @Nullable Object zero(Class<?> type) {
    return type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0) : null;
  }

  /// What the JVM says of a method that C2 has compiled: `17 4 0 app.Trade.f(I)V [a, b - c]`.
  private static OptionalInt codeBytes(String method) throws JMException {
    String list =
        (String)
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "compilerCodelist",
                    new Object[0],
                    new String[0]);
    Matcher line =
        Pattern.compile(
                "\\d+ 4 0 "
                    + Pattern.quote(method)
                    + "\\S* \\[0x\\p{XDigit}+, 0x(\\p{XDigit}+) - 0x(\\p{XDigit}+)\\]")
            .matcher(list);
    return line.find()
        ? OptionalInt.of(
            (int)
                (Long.parseUnsignedLong(line.group(2), 16)
                    - Long.parseUnsignedLong(line.group(1), 16)))
        : OptionalInt.empty();
  }

  private static String nameOf(ClassDesc type) {
    String path = ClassSource.pathOf(type);
    return path.substring(0, path.length() - ".class".length()).replace('/', '.');
  }

  /// Loads the classes as they will be specialized, one of them with the two methods.
  private final class Loader extends ClassLoader {
    private final ClassDesc owner;
    private final DynamicCallSiteDesc site;

    Loader(ClassDesc owner, DynamicCallSiteDesc site) {
      super(MachineCode.class.getClassLoader());
      this.owner = owner;
      this.site = site;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        if (loaded == null) {
          ClassDesc type = ClassDesc.of(name);
          boolean theirs =
              !type.packageName().equals(MemoryNames.PSO.packageName()) && !isJdks(name);
          byte[] bytes = theirs ? classes.find(type) : null;
          loaded = bytes == null ? super.loadClass(name, resolve) : define(name, type, bytes);
        }
        return loaded;
      }
    }

    private static boolean isJdks(String name) {
      try {
        ClassLoader.getPlatformClassLoader().loadClass(name);
        return true;
      } catch (ClassNotFoundException e) {
        return false;
      }
    }

    private Class<?> define(String name, ClassDesc type, byte[] compiled) {
      byte[] bytes = specializer.specialize(compiled).bytes();
      if (type.equals(owner)) {
        bytes = ClassFile.of().transformClass(ClassFile.of().parse(bytes), withProbes());
      }
      return defineClass(name, bytes, 0, bytes.length);
    }

    /// Makes a method too long to be inlined into what calls it, and its machine code no longer.
    private static void keepApart(CodeBuilder code) {
      for (int count = 0; count < INLINED_BYTES; count++) {
        code.nop();
      }
    }

    /// Adds the two methods, and makes the class public, so that they can be called.
    private ClassTransform withProbes() {
      MethodTypeDesc type = site.invocationType();
      TypeKind result = TypeKind.from(type.returnType());
      int flags = ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC | ClassFile.ACC_SYNTHETIC;
      ClassTransform open =
          (builder, element) -> {
            if (element instanceof AccessFlags given) {
              builder.withFlags(given.flagsMask() | ClassFile.ACC_PUBLIC);
            } else {
              builder.with(element);
            }
          };
      ClassTransform add =
          ClassTransform.endHandler(
              builder -> {
                builder.withMethodBody(
                    WITH + known.size(),
                    type,
                    flags,
                    code -> {
                      keepApart(code);
                      for (int index = 0; index < type.parameterCount(); index++) {
                        code.loadLocal(
                            TypeKind.from(type.parameterType(index)), code.parameterSlot(index));
                      }
                      code.invokedynamic(site).return_(result);
                    });
                builder.withMethodBody(
                    WITHOUT + known.size(),
                    type,
                    flags,
                    code -> {
                      keepApart(code);
                      switch (result.asLoadable()) {
                        case INT -> code.iconst_0();
                        case LONG -> code.lconst_0();
                        case FLOAT -> code.fconst_0();
                        case DOUBLE -> code.dconst_0();
                        case REFERENCE -> code.aconst_null();
                        default -> {}
                      }
                      code.return_(result);
                    });
              });
      return open.andThen(add);
    }
  }
}
