package dev.tigris.verify.tidy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.MethodModel;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The rules that each class is held to. Decision 041 records the rules that were considered.
public final class ClassRules {
  static final int METHOD_LINES = 70;

  /// The packages that may make restricted calls: those that reach memory without the JDK's bounds.
  /// The benches' calls functions of our own in C, which are peers of what is measured.
  static final Set<String> RESTRICTED_PACKAGES =
      Set.of(
          "dev.tigris.os",
          "dev.tigris.memory.raw",
          "dev.tigris.net.libfabric.raw",
          "dev.tigris.net.testing.raw", // filters of system calls, in its tests
          "dev.tigris.bench.c");

  /// Benches that measure Java serialization as a peer: what they read they have just written.
  private static final Set<String> SERIALIZATION_BENCHES =
      Set.of(
          "dev.tigris.bench.objects.ListCodec$Serialized",
          "dev.tigris.bench.objects.ReadSuite",
          "dev.tigris.bench.objects.RoundTripSuite");

  private static final Pattern INTERNAL_API = Pattern.compile("sun\\..*|jdk\\.internal\\..*");
  private static final Pattern MOCKS =
      Pattern.compile("(org\\.mockito|org\\.easymock|org\\.jmock|org\\.powermock|mockit)\\..*");
  private static final Pattern POOR_NAME = Pattern.compile(".*(Utils?|Helpers?)|Abstract.*");
  private static final Pattern STATE =
      Pattern.compile(
          "Ljava/util/concurrent/(atomic/.*|Concurrent.*|.*Queue);|Ljava/lang/ThreadLocal;");

  /// Static state that was reviewed: each belongs to the whole process, not to one of its users.
  private static final Set<String> REVIEWED_STATE =
      Set.of("dev.tigris.net.uring.UringPort.OPEN", "dev.tigris.message.call.ServerCall.CURRENT");

  private static final Set<String> RESTRICTED_CALLS =
      Set.of(
          "java.lang.foreign.MemorySegment.reinterpret",
          "java.lang.foreign.MemorySegment.ofAddress",
          "java.lang.foreign.Linker.downcallHandle",
          "java.lang.foreign.Linker.upcallStub",
          "java.lang.foreign.SymbolLookup.libraryLookup",
          "java.lang.foreign.AddressLayout.withTargetLayout",
          "java.lang.ModuleLayer$Controller.enableNativeAccess");
  private static final Set<String> EXITS =
      Set.of("java.lang.System.exit", "java.lang.Runtime.exit", "java.lang.Runtime.halt");

  /// Where the JVM calls a program, so that no caller can catch an exception.
  private static final Set<String> ENTRIES = Set.of("Main", "Agent");

  private static final Set<String> SLEEPS =
      Set.of("java.lang.Thread.sleep", "java.util.concurrent.TimeUnit.sleep");
  private static final Set<String> NATIVE_CODE =
      Set.of(
          "java.lang.System.load",
          "java.lang.System.loadLibrary",
          "java.lang.Runtime.load",
          "java.lang.Runtime.loadLibrary");
  private static final Pattern OPENS_UP = Pattern.compile("java\\..*\\.(set|trySet)Accessible");

  private ClassRules() {}

  /// Returns all rules for classes.
  public static List<ClassRule> all() {
    return Stream.of(forSafety(), forBehaviour(), forShape()).flatMap(List::stream).toList();
  }

  private static List<ClassRule> forSafety() {
    return List.of(
        new ClassRule(
            "no internal API",
            "the JDK may change it any day; java.lang.foreign and VarHandle do the same",
            found -> found.mentionedClasses().filter(matches(INTERNAL_API)).map(ClassRules::uses)),
        new ClassRule(
            "no native code of ours",
            "call native functions through java.lang.foreign",
            found ->
                Stream.concat(
                    found.usedMembers().filter(NATIVE_CODE::contains).map(ClassRules::uses),
                    methods(found, method -> method.flags().has(AccessFlag.NATIVE)))),
        new ClassRule(
            "restricted calls in named packages only",
            "move it to one of %s, or name the package in ClassRules with a review"
                .formatted(RESTRICTED_PACKAGES),
            found ->
                RESTRICTED_PACKAGES.contains(found.packageName())
                    ? Stream.of()
                    : restrictedCalls(found).map(ClassRules::uses)),
        new ClassRule(
            "restricted calls under a SAFETY comment",
            "write // SAFETY: with bounds, lifetime and thread above each of them",
            found ->
                hasSafetyComment(found)
                    ? Stream.of()
                    : restrictedCalls(found).map(ClassRules::uses)),
        new ClassRule(
            "encapsulation stays intact",
            "ask the owner of the class for an API",
            found -> found.usedMembers().filter(matches(OPENS_UP)).map(ClassRules::uses)));
  }

  private static List<ClassRule> forBehaviour() {
    return List.of(
        new ClassRule(
            "only a Main or an Agent ends the process",
            "throw an exception, and let the command line turn it into an exit code",
            found ->
                ENTRIES.contains(found.simpleName())
                    ? Stream.of()
                    : found.usedMembers().filter(EXITS::contains).map(ClassRules::uses)),
        new ClassRule(
            "tests do not sleep",
            "wait for the event itself, with a latch, a join or a future",
            found ->
                found.test()
                    ? found.usedMembers().filter(SLEEPS::contains).map(ClassRules::uses)
                    : Stream.of()),
        new ClassRule(
            "no mocks",
            "use the real thing, or a small implementation of the interface",
            found -> found.mentionedClasses().filter(matches(MOCKS)).map(ClassRules::uses)),
        new ClassRule(
            "no Java deserialization",
            "bytes from a file or a peer are validated, not executed",
            found ->
                SERIALIZATION_BENCHES.contains(found.name())
                    ? Stream.of()
                    : found
                        .mentionedClasses()
                        .filter("java.io.ObjectInputStream"::equals)
                        .map(ClassRules::uses)));
  }

  private static List<ClassRule> forShape() {
    return List.of(
        new ClassRule(
            "no finalizers",
            "use a Cleaner or a phantom reference",
            found ->
                methods(
                    found,
                    method ->
                        method.methodName().equalsString("finalize")
                            && method.methodType().equalsString("()V"))),
        new ClassRule(
            "no static state",
            "make it final and constant, or give it to an object that has an owner",
            ClassRules::staticState),
        new ClassRule(
            "methods of up to %d lines".formatted(METHOD_LINES),
            "split it where a part of it deserves a name",
            found -> methods(found, method -> CompiledClass.lines(method) > METHOD_LINES)),
        new ClassRule(
            "names that say something",
            "name it after what it is, not after its place in a hierarchy or a drawer",
            found ->
                POOR_NAME.matcher(found.simpleName()).matches()
                    ? Stream.of("has a name that says nothing")
                    : Stream.of()));
  }

  private static Stream<String> restrictedCalls(CompiledClass found) {
    return found.usedMembers().filter(RESTRICTED_CALLS::contains).distinct();
  }

  private static boolean hasSafetyComment(CompiledClass found) {
    try {
      return Files.readString(found.source()).contains("// SAFETY:");
    } catch (IOException e) {
      throw new UncheckedIOException(found.source().toString(), e);
    }
  }

  private static Stream<String> staticState(CompiledClass found) {
    if (found.test()) {
      return Stream.of();
    }
    return found.model().fields().stream()
        .filter(
            field ->
                field.flags().has(AccessFlag.STATIC) && !field.flags().has(AccessFlag.SYNTHETIC))
        .filter(
            field ->
                !field.flags().has(AccessFlag.FINAL)
                    || STATE.matcher(field.fieldType().stringValue()).matches())
        .map(field -> field.fieldName().stringValue())
        .filter(name -> !REVIEWED_STATE.contains(found.name() + "." + name))
        .map(name -> "has the static field " + name);
  }

  private static Stream<String> methods(CompiledClass found, Predicate<MethodModel> guilty) {
    return found.model().methods().stream()
        .filter(guilty)
        .map(
            method ->
                "has the method %s (%d lines)"
                    .formatted(method.methodName().stringValue(), CompiledClass.lines(method)));
  }

  private static Predicate<String> matches(Pattern pattern) {
    return name -> pattern.matcher(name).matches();
  }

  private static String uses(String what) {
    return "uses " + what;
  }
}
