package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.specializer.patch.TrustedKeys;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the agent says to whoever gives it wrong options. DeliveryTest of `memory` runs it.
class AgentTest {
  @TempDir private Path folder;

  private static String refusal(Class<? extends Exception> kind, String options) {
    return assertThrows(kind, () -> AgentOptions.parse(options)).getMessage();
  }

  @ParameterizedTest
  @ValueSource(strings = {"trust=", "rules="})
  void saysWhichOptionNamesAFileThatIsNotThere(String option) {
    Path gone = folder.resolve("gone");
    assertEquals(
        "%1$s%2$s: there is no '%2$s'".formatted(option, gone),
        refusal(IOException.class, option + gone));
  }

  @ParameterizedTest
  @ValueSource(strings = {"trust=", "rules=", "rule-path="})
  void saysWhichOptionNamesNoFileAtAllOrIsThereTwice(String option) {
    assertEquals(
        option + " has no value: name a file", refusal(IllegalArgumentException.class, option));
    String twice = refusal(IllegalArgumentException.class, option + "a," + option + "b");
    assertTrue(twice.startsWith(option + " is given twice"), twice);
  }

  @Test
  void saysWhereARuleIsWrong() throws Exception {
    Path list = Files.writeString(folder.resolve("list"), "pso-field\nno rule\n");
    String message = refusal(IOException.class, "rules=" + list);
    assertTrue(message.startsWith("rules=" + list + ": "), message);
    assertTrue(message.contains("list:2"), message);
  }

  @Test
  void saysWhatItsOptionsAre() {
    assertEquals(
        "unknown option 'rule=x': use trust=FILE, rules=FILE or rule-path=PATH",
        refusal(IllegalArgumentException.class, "rule=x"));
    assertTrue(
        refusal(IllegalArgumentException.class, "rule-path=x").contains("rules=FILE"),
        "a path alone means nothing");
  }

  /// A loader whose author has thought of `equals` and `hashCode`, and of nobody who asks for them.
  private static final class Opinionated extends URLClassLoader {
    Opinionated(Path folder) throws IOException {
      super(new URL[] {folder.toUri().toURL()}, null);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Opinionated;
    }

    @Override
    public int hashCode() {
      return 1;
    }
  }

  private Path compiled(String name, String... sources) throws IOException {
    Path place = Files.createDirectory(folder.resolve(name));
    new Javac(place).compile(sources);
    return place;
  }

  @Test
  void knowsALoaderFromAnotherThatSaysItIsTheSame() throws IOException {
    var transformer = new Agent.Transformer(TrustedKeys.ANY, Rule.standard());
    String source = "package app; class User { long use(Trade trade) { return trade.id; } }";
    Path objects = compiled("objects", Workshop.TRADE, source);
    Path others = compiled("others", "package app; class Trade { long id; }", source);
    byte[] user = Files.readAllBytes(objects.resolve("app/User.class"));
    Module module = AgentTest.class.getModule();
    try (var one = new Opinionated(objects);
        var other = new Opinionated(others)) {
      assertNotNull(transformer.transform(module, one, "app/User", null, null, user));
      assertNull(transformer.transform(module, other, "app/User", null, null, user));
    }
  }

  /// As those of an AOT cache are, before any agent hears of them.
  @Test
  void refusesAClassThatWasLoadedAsItWasCompiled() throws Exception {
    var transformer = new Agent.Transformer(TrustedKeys.ANY, Rule.standard());
    String user = "package app; public class User { long use(Trade trade) { return trade.id; } }";
    Path place = compiled("loaded", Workshop.TRADE, user, "package app; public class Other { }");
    URL[] path = {place.toUri().toURL()};
    try (var loader = new URLClassLoader(path, Workshop.class.getClassLoader())) {
      transformer.refuseLoaded(String.class, int[].class, loader.loadClass("app.Other"));
      Class<?> loaded = loader.loadClass("app.User");
      var e = assertThrows(IllegalStateException.class, () -> transformer.refuseLoaded(loaded));
      assertTrue(e.getMessage().contains("app.User was loaded before this agent"), e.getMessage());
      assertTrue(e.getMessage().contains("-XX:AOTMode=off"), e.getMessage());
    }
  }

  /// A loader that gives out no class file, and asks its parent for all classes that it has not
  /// itself.
  private static final class Mute extends ClassLoader {
    Mute(ClassLoader parent) {
      super(parent);
    }

    @Override
    public @Nullable InputStream getResourceAsStream(String name) {
      return null;
    }
  }

  private static final String PLAIN = "package app; public class Trade { public long id; }";
  private static final String USER =
      "package app; class User { long use(Trade trade) { return trade.id; } }";
  private static final String OTHER =
      "package app; class Other { long use(Trade trade) { return trade.id; } }";
  private static final String HOLDER =
      """
      package app;
      import dev.tigris.memory.*;
      class Holder extends Pso {
        @InPlace Trade inside;
        Holder(Container container) { super(container); }
      }
      """;

  /// The agent, as the JVM shows it the classes of a program that has two loaders.
  private static final class Loading implements AutoCloseable {
    private final Agent.Transformer agent = new Agent.Transformer(TrustedKeys.ANY, Rule.standard());
    private final Path classes;
    final URLClassLoader parent;
    final ClassLoader child;

    Loading(Path classes, Path ofParent) throws IOException {
      this.classes = classes;
      this.parent = new URLClassLoader(new URL[] {ofParent.toUri().toURL()}, null);
      this.child = new Mute(parent);
    }

    /// Why a class fails to load; empty if it does not.
    String load(ClassLoader loader, String name) throws IOException {
      return load(loader, name, classes);
    }

    String load(ClassLoader loader, String name, Path from) throws IOException {
      byte[] compiled = Files.readAllBytes(from.resolve("app/" + name + ".class"));
      byte[] loaded =
          agent.transform(AgentTest.class.getModule(), loader, "app/" + name, null, null, compiled);
      return loaded == null
          ? ""
          : ClassFile.of().parse(loaded).fields().stream()
              .map(field -> field.fieldName().stringValue())
              .filter(field -> field.endsWith("."))
              .collect(Collectors.joining());
    }

    @Override
    public void close() throws IOException {
      parent.close();
    }
  }

  private static void assertInTheDark(String reason) {
    assertTrue(reason.contains("does not give out app/Trade.class"), reason);
  }

  @Test
  void keepsNoClassFromLoadingThatIsUsedUnseenByOneThatDidNotLoad() throws IOException {
    Path all = compiled("all", Workshop.TRADE, HOLDER, USER);
    try (var program = new Loading(all, all)) {
      String reason = program.load(program.child, "Holder");
      assertTrue(reason.contains("app.Trade, the type of this field, is not found"), reason);
      assertEquals("", program.load(program.parent, "Trade"));
      assertEquals("", program.load(program.parent, "Holder"));
      assertEquals("", program.load(program.parent, "User"));
      assertEquals("", program.load(program.child, "Trade"));
      assertEquals("", program.load(program.child, "Holder")); // now that it has seen what it holds
    }
  }

  @Test
  void letsOneOfAUserAndAnObjectOfAParentLoadIfTheUserHasNotSeenIt() throws IOException {
    Path all = compiled("all", Workshop.TRADE, USER, OTHER);
    Path objects = compiled("objects", Workshop.TRADE);
    try (var program = new Loading(all, objects)) {
      assertEquals("", program.load(program.child, "User"));
      assertInTheDark(program.load(program.parent, "Trade"));
    }
    try (var program = new Loading(all, objects)) {
      assertEquals("", program.load(program.parent, "Trade"));
      assertInTheDark(program.load(program.child, "User"));
      assertInTheDark(program.load(program.child, "Other")); // that it is missing is known by then
    }
  }

  @Test
  void knowsThatALoaderThatHasItsParentsClassesItselfDoesNotMeanTheParents() throws IOException {
    Path all = compiled("all", Workshop.TRADE, USER);
    try (var program = new Loading(all, all)) {
      assertEquals("", program.load(program.child, "User"));
      assertEquals("", program.load(program.parent, "Trade"));
      assertEquals("", program.load(program.parent, "User"));
      assertInTheDark(program.load(program.child, "Trade")); // which the child's user means
    }
  }

  @Test
  void knowsThatALoaderThatHasAClassOfThatNameDoesNotMeanTheParents() throws IOException {
    Path all = compiled("all", Workshop.TRADE, USER);
    Path plain = compiled("plain", PLAIN);
    Path objects = compiled("objects", Workshop.TRADE);
    try (var program = new Loading(all, objects)) {
      assertEquals("", program.load(program.child, "User"));
      assertEquals("", program.load(program.child, "Trade", plain));
      assertEquals("", program.load(program.parent, "Trade"));
    }
  }
}
