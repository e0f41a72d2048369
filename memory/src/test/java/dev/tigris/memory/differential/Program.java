package dev.tigris.memory.differential;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tigris.memory.Container;
import dev.tigris.memory.InterpretedLinkage;
import dev.tigris.memory.Jbuf;
import dev.tigris.specializer.ClassHierarchy;
import dev.tigris.specializer.ClassSource;
import dev.tigris.specializer.Decision;
import dev.tigris.specializer.MemoryNames;
import dev.tigris.specializer.Problem;
import dev.tigris.specializer.Rule;
import dev.tigris.specializer.Site;
import dev.tigris.specializer.Specialized;
import dev.tigris.specializer.Specializer;
import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.PatchKind;
import dev.tigris.specializer.patch.PatchRefusedException;
import dev.tigris.specializer.patch.TrustedKeys;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicCallSiteDesc;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.opentest4j.AssertionFailedError;

/// A program as it was compiled, and the ways to run it.
///
/// @param home the package that it is in
/// @param classes class files by name
/// @param source what they were compiled from, for messages
record Program(String home, Map<String, byte[]> classes, String source) {
  /// The classes that programs are compiled with.
  static final Path MEMORY = Path.of("target", "classes").toAbsolutePath();

  /// What a run computed, and what it left in its container.
  record Outcome(String result, String stored) {}

  static Program of(String home, Sketch sketch) throws IOException {
    Map<String, String> sources = SketchSource.of(home, sketch);
    return new Program(home, Compiled.of(sources, MEMORY), String.join("\n", sources.values()));
  }

  /// Fails, with the program's source, if a run of it did not compute what another one did.
  void assertComputes(Outcome expected, Outcome actual) {
    if (!expected.equals(actual)) {
      throw new AssertionFailedError(
          "expected: <%s> but was: <%s>%n%s".formatted(expected, actual, source), expected, actual);
    }
  }

  /// Runs it on plain objects.
  Outcome runPlainly() throws Exception {
    ClassLoader loader = PlainObjects.loader(classes);
    Class<?> type = loader.loadClass("dev.tigris.memory.Container");
    Object container = type.getConstructor().newInstance();
    String result = call(loader, "run", type, container);
    return new Outcome(result, call(loader, "dump", type, container));
  }

  /// Runs it with the interpreter of recipes.
  Outcome runInterpreted() throws Exception {
    return runInContainer(specialize(Program::interpreted));
  }

  /// Runs what it was specialized to.
  Outcome runSpecialized(Map<String, byte[]> specialized) throws Exception {
    return runInContainer(specialized);
  }

  /// Its class files, specialized.
  ///
  /// @throws AssertionError if there is a problem with any
  Map<String, byte[]> specialize() {
    return specialize(rule -> rule);
  }

  /// A patch of either kind gives these class files to the byte: what the agent gives the JVM to
  /// load is what runs without it.
  void assertPatchesGive(Map<String, byte[]> specialized) throws PatchRefusedException {
    for (Map.Entry<String, byte[]> one : specialized.entrySet()) {
      byte[] original = classes.get(one.getKey());
      for (PatchKind kind : PatchKind.values()) {
        byte[] patched = CodePatch.attach(original, one.getValue(), kind, Optional.empty());
        assertArrayEquals(one.getValue(), CodePatch.apply(patched, TrustedKeys.ANY).orElseThrow());
      }
    }
  }

  /// What keeps a class from being specialized.
  List<Problem> problems(String name) {
    Specializer specializer = new Specializer(new ClassHierarchy(this::find), Rule.standard());
    return specializer.specialize(classes.get(name)).problems();
  }

  private interface Wrapper {
    Rule wrap(Rule rule);
  }

  private Map<String, byte[]> specialize(Wrapper wrapper) {
    List<Rule> rules = Rule.standard().stream().map(wrapper::wrap).toList();
    Specializer specializer = new Specializer(new ClassHierarchy(this::find), rules);
    Map<String, byte[]> result = new HashMap<>();
    classes.forEach(
        (name, bytes) -> {
          Specialized specialized = specializer.specialize(bytes);
          if (!specialized.problems().isEmpty()) {
            throw new AssertionError(specialized.problems());
          }
          result.put(name, specialized.bytes());
        });
    return result;
  }

  private byte[] find(ClassDesc type) {
    String path = ClassSource.pathOf(type);
    byte[] own =
        classes.get(path.substring(0, path.length() - ".class".length()).replace('/', '.'));
    if (own != null) {
      return own;
    }
    try (InputStream in = Jbuf.class.getClassLoader().getResourceAsStream(path)) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A rule whose call sites are linked to the interpreter.
  private static Rule interpreted(Rule rule) {
    return new Rule() {
      @Override
      public String name() {
        return rule.name();
      }

      @Override
      public boolean concerns(ClassModel type, ClassHierarchy hierarchy) {
        return rule.concerns(type, hierarchy);
      }

      @Override
      public Decision decide(Site site) {
        return rule.decide(site) instanceof Decision.Replace(DynamicCallSiteDesc callSite)
                && callSite.bootstrapMethod().equals(MemoryNames.FIELD_BOOTSTRAP)
            ? new Decision.Replace(
                DynamicCallSiteDesc.of(
                    ConstantDescs.ofCallsiteBootstrap(
                        ClassDesc.of(InterpretedLinkage.class.getName()),
                        MemoryNames.FIELD_BOOTSTRAP.methodName(),
                        ConstantDescs.CD_CallSite,
                        ConstantDescs.CD_Class,
                        ConstantDescs.CD_String),
                    callSite.invocationName(),
                    callSite.invocationType(),
                    callSite.bootstrapArgs()))
            : rule.decide(site);
      }
    };
  }

  private Outcome runInContainer(Map<String, byte[]> specialized) throws Exception {
    Jbuf jbuf = Jbuf.allocate(1 << 16);
    ClassLoader loader = new PlainObjects.Loader(specialized, Jbuf.class.getClassLoader());
    String result = call(loader, "run", Container.class, jbuf.asContainer());
    // Another container over the same memory knows none of the objects, and recovers them.
    String stored = call(loader, "dump", Container.class, jbuf.asContainer());
    return new Outcome(result, stored);
  }

  private String call(ClassLoader loader, String method, Class<?> type, Object container)
      throws ReflectiveOperationException {
    Class<?> program = loader.loadClass(home + ".Program");
    return (String) program.getMethod(method, type).invoke(null, container);
  }
}
