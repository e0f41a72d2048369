package dev.tigris.specializer;

import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ConstantPoolBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import org.jspecify.annotations.Nullable;

/// What an agent gives the JVM in place of a class that must not be loaded. If it threw, the JVM
/// would ignore that and load the original.
///
/// It is a class that no JVM accepts. Its one field has, for a name, the reason, which is no legal
/// name, so that loading it throws
///
/// ```text
///   java.lang.ClassFormatError: Illegal field name "app.User.use(Trade)long: the code patch ..."
/// ```
///
/// Where format checks are switched off (`-XX:-BytecodeVerificationRemote`), its initializer throws
/// the same error.
final class FailingClass {
  /// What is left when even an error cannot be put into words: no class at all.
  static final byte[] NO_CLASS = {0};

  /// What HotSpot prints of an error's message.
  private static final int MAX_REASON = 900;

  private FailingClass() {}

  /// @param name of the class whose place it takes, as the JVM spells it; null if it has none
  /// @param reason names the class, and says what to do
  static byte[] of(@Nullable String name, String reason) {
    try {
      return build(ClassDesc.ofInternalName(name == null ? "Patched" : name), reason);
    } catch (Throwable e) {
      return NO_CLASS;
    }
  }

  private static byte[] build(ClassDesc name, String reason) {
    String text = reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason;
    // A dot makes it no legal name, whatever the rest.
    String illegal = text.endsWith(".") ? text : text + ".";
    ClassDesc error = ClassDesc.of("java.lang.ClassFormatError");
    return ClassFile.of()
        .build(
            name,
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
