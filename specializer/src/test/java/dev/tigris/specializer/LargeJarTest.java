package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.annotation.JacksonAnnotation;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.PatchKind;
import dev.tigris.specializer.patch.PatchRefusedException;
import dev.tigris.specializer.patch.TrustedKeys;
import dev.tigris.testing.Slow;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.classfile.ClassModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.agrona.DirectBuffer;
import org.apache.fory.Fory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Jars of other people: thousands of classes, of other compilers, that have nothing to do with us.
class LargeJarTest {
  private static final List<Class<?>> JACKSON =
      List.of(ObjectMapper.class, JsonFactory.class, JacksonAnnotation.class);
  private static final String JSON =
      "{\"name\":\"tigris\",\"numbers\":[1,-2.5,3e10,true,null],\"nested\":{\"a\":{\"b\":\"\\u00e9\"}}}";

  @TempDir private Path temporary;

  /// Puts the same instruction in the place of each that a rule is likely to be about.
  private static final class Neutral implements Rule {
    @Override
    public String name() {
      return "neutral";
    }

    @Override
    public boolean concerns(ClassModel type, ClassHierarchy hierarchy) {
      return true;
    }

    @Override
    public Decision decide(Site site) {
      Instruction instruction = site.instruction();
      boolean likely =
          instruction instanceof FieldInstruction
              || instruction instanceof OperatorInstruction
              || instruction instanceof ArrayLoadInstruction
              || instruction instanceof ArrayStoreInstruction;
      return likely
          ? new Decision.Rewrite(1, code -> code.nop().with(instruction), List.of())
          : Decision.PASS;
    }
  }

  private static Path jarOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  private Path copyOf(Class<?> type) throws IOException {
    Path jar = jarOf(type);
    return Files.copy(jar, temporary.resolve(jar.getFileName()));
  }

  private static Map<String, byte[]> entries(Path path) throws IOException {
    Map<String, byte[]> entries = new LinkedHashMap<>();
    try (JarFile jar = new JarFile(path.toFile())) {
      for (JarEntry entry : jar.stream().toList()) {
        entries.put(entry.getName(), jar.getInputStream(entry).readAllBytes());
      }
    }
    return entries;
  }

  @Test
  @Slow("thousands of classes")
  void changesNoByteOfJarsWithoutObjects() throws IOException {
    int seen = 0;
    for (Class<?> type : List.of(ObjectMapper.class, Fory.class, DirectBuffer.class)) {
      Path jar = copyOf(type);
      byte[] before = Files.readAllBytes(jar);
      try (ClassPath path = new ClassPath(List.of(jar, jarOf(JsonFactory.class)))) {
        Specializer specializer = new Specializer(new ClassHierarchy(path), Rule.standard());
        for (Delivery delivery :
            List.of(
                new Delivery.Rewritten(), new Delivery.Patched(PatchKind.DIFF, Optional.empty()))) {
          Report report = ClassFiles.specialize(List.of(jar), specializer, delivery);
          assertEquals(List.of(), report.problems());
          assertEquals(0, report.classesChanged());
          seen += report.classesSeen();
        }
      }
      assertArrayEquals(before, Files.readAllBytes(jar));
    }
    assertTrue(seen > 3_000, seen + " classes");
  }

  @Test
  void changesOnlyTheClassesThatMentionObjects() throws IOException {
    Path jar = jarOf(ObjectMapper.class);
    Path mixed = temporary.resolve("mixed.jar");
    try (Workshop shop = new Workshop(temporary)) {
      shop.javac.compile(
          Workshop.TRADE, "package app; class User { long use(Trade trade) { return trade.id; } }");
      try (OutputStream out = Files.newOutputStream(mixed);
          ZipOutputStream entries = new ZipOutputStream(out)) {
        for (Map.Entry<String, byte[]> entry : entries(jar).entrySet()) {
          entries.putNextEntry(new ZipEntry(entry.getKey()));
          entries.write(entry.getValue());
        }
        for (String name : List.of("app/Trade", "app/User")) {
          entries.putNextEntry(new ZipEntry(name + ".class"));
          entries.write(shop.bytes(name));
        }
      }
      Map<String, byte[]> before = entries(mixed);
      Report report =
          ClassFiles.specialize(List.of(mixed), shop.specializer, new Delivery.Rewritten());
      assertEquals(2, report.classesChanged());
      entries(mixed)
          .forEach(
              (name, bytes) -> {
                if (!name.startsWith("app/")) {
                  assertArrayEquals(before.get(name), bytes, name);
                }
              });
    }
  }

  /// What Jackson says of a text, loaded from some jars.
  private static String run(List<Path> jars) throws Exception {
    List<URL> urls = new ArrayList<>();
    for (Path jar : jars) {
      urls.add(jar.toUri().toURL());
    }
    try (URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Class<?> type = loader.loadClass(ObjectMapper.class.getName());
      Object mapper = type.getConstructor().newInstance();
      Object tree = type.getMethod("readTree", String.class).invoke(mapper, JSON);
      Object value =
          type.getMethod("readValue", String.class, Class.class).invoke(mapper, JSON, Map.class);
      return tree
          + " "
          + tree.hashCode()
          + " "
          + type.getMethod("writeValueAsString", Object.class).invoke(mapper, value);
    }
  }

  @Test
  @Slow("thousands of classes")
  void runsAJarThatWasRewrittenThroughout() throws Exception {
    List<Path> jars = new ArrayList<>();
    for (Class<?> type : JACKSON) {
      jars.add(copyOf(type));
    }
    String expected = run(jars);
    assertTrue(expected.contains("tigris"), expected);
    try (ClassPath path = new ClassPath(JACKSON.stream().map(LargeJarTest::jarOf).toList())) {
      Specializer specializer = new Specializer(new ClassHierarchy(path), List.of(new Neutral()));
      Report report = ClassFiles.specialize(jars, specializer, new Delivery.Rewritten());
      assertEquals(List.of(), report.problems());
      assertTrue(report.rewritten() > 20_000, report.summary());
    }
    assertEquals(expected, run(jars));
  }

  @Test
  @Slow("thousands of classes")
  void patchesAJarThroughout() throws IOException {
    Path jar = jarOf(JsonFactory.class);
    try (ClassPath path = new ClassPath(JACKSON.stream().map(LargeJarTest::jarOf).toList())) {
      Specializer specializer = new Specializer(new ClassHierarchy(path), List.of(new Neutral()));
      entries(jar).entrySet().stream()
          .filter(entry -> entry.getKey().endsWith(".class"))
          .filter(entry -> !entry.getKey().endsWith("module-info.class"))
          .forEach(entry -> patches(entry.getKey(), entry.getValue(), specializer));
    }
  }

  private static void patches(String name, byte[] original, Specializer specializer) {
    byte[] specialized = specializer.specialize(original).bytes();
    for (PatchKind kind : PatchKind.values()) {
      byte[] patched = CodePatch.attach(original, specialized, kind, Optional.empty());
      try {
        assertArrayEquals(
            specialized, CodePatch.apply(patched, TrustedKeys.ANY).orElseThrow(), name);
        assertArrayEquals(original, CodePatch.strip(patched), name);
      } catch (PatchRefusedException e) {
        throw new AssertionError(name, e);
      }
    }
  }
}
