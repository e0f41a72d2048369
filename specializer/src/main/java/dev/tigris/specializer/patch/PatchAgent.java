package dev.tigris.specializer.patch;

import java.io.File;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ConstantPoolBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The agent that applies code patches as classes are loaded.
///
/// ```sh
/// java -javaagent:tigris-specializer.jar ...                        # anybody's patches
/// java -javaagent:tigris-specializer.jar=trust=a.pub:b.pub ...      # those that a or b signed
/// ```
///
/// Classes without a patch are left alone. A class whose patch is refused fails to load: it must
/// not run half specialized, and the JVM would ignore an exception and load the original. So the
/// agent puts a class in its place that no JVM accepts. Its one field has, for a name, the reason,
/// which is no legal name, so that loading it throws
///
/// ```text
///   java.lang.ClassFormatError: Illegal field name "app.User.use(Trade)long: the code patch ..."
/// ```
///
/// Where format checks are switched off (`-XX:-BytecodeVerificationRemote`), its initializer throws
/// the same error.
public final class PatchAgent {
  private static final String TRUST = "trust=";

  /// What is left to return when even an error cannot be put into words: no class at all.
  private static final byte[] NO_CLASS = {0};

  /// What HotSpot prints of an error's message.
  private static final int MAX_REASON = 900;

  private PatchAgent() {}

  /// Called by the JVM for `-javaagent`. Anything wrong with the options ends the JVM.
  ///
  /// @param options nothing, or `trust=` and the files of public keys
  /// @throws IOException if a key cannot be read
  public static void premain(@Nullable String options, Instrumentation instrumentation)
      throws IOException {
    instrumentation.addTransformer(new Transformer(keys(options == null ? "" : options)));
  }

  private static TrustedKeys keys(String options) throws IOException {
    if (options.isEmpty()) {
      return TrustedKeys.ANYBODY;
    }
    if (!options.startsWith(TRUST)) {
      throw new IllegalArgumentException(
          "tigris agent: '" + options + "' is no option; say trust=FILE, or nothing");
    }
    String[] files = options.substring(TRUST.length()).split(File.pathSeparator);
    List<Path> paths = Arrays.stream(files).map(Path::of).toList();
    return TrustedKeys.of(paths);
  }

  /// Called by the JVM with each class that is being loaded, by any thread.
  static final class Transformer implements ClassFileTransformer {
    private final TrustedKeys keys;

    Transformer(TrustedKeys keys) {
      this.keys = keys;
    }

    @Override
    public byte @Nullable [] transform(
        @Nullable ClassLoader loader,
        @Nullable String name,
        @Nullable Class<?> redefined,
        @Nullable ProtectionDomain domain,
        byte[] classFile) {
      // The JDK's own classes carry none.
      if (loader == null || !CodePatch.mayBeIn(classFile)) {
        return null;
      }
      try {
        Optional<byte[]> specialized = CodePatch.apply(classFile, keys);
        return specialized.orElse(null);
      } catch (PatchRefusedException e) {
        return failing(name, String.valueOf(e.getMessage()));
      } catch (Throwable e) {
        // Whatever it was: if it got out, the JVM would load the class unspecialized.
        return failing(name, "cannot apply the code patch: " + e);
      }
    }
  }

  private static byte[] failing(@Nullable String name, String reason) {
    try {
      return failingClass(name == null ? "Patched" : name, reason);
    } catch (Throwable e) {
      return NO_CLASS;
    }
  }

  /// A class that fails to load, or at the latest to initialize.
  private static byte[] failingClass(String name, String reason) {
    String text = reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason;
    // A dot makes it no legal name, whatever the rest.
    String illegal = text.endsWith(".") ? text : text + ".";
    ClassDesc error = ClassDesc.of("java.lang.ClassFormatError");
    return ClassFile.of()
        .build(
            ClassDesc.ofInternalName(name),
            type -> {
              ConstantPoolBuilder pool = type.constantPool();
              type.withField(
                  pool.utf8Entry(illegal),
                  pool.utf8Entry(ConstantDescs.CD_int),
                  field -> field.withFlags(ClassFile.ACC_STATIC));
              type.withMethodBody(
                  ConstantDescs.CLASS_INIT_NAME,
                  ConstantDescs.MTD_void,
                  ClassFile.ACC_STATIC,
                  code ->
                      code.new_(error)
                          .dup()
                          .ldc(illegal)
                          .invokespecial(
                              error,
                              ConstantDescs.INIT_NAME,
                              MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String))
                          .athrow());
            });
  }
}
