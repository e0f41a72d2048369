package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.schema.Schema;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.reflect.AccessFlag;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the specializer leaves of the fields of a class is as good as they were to compilers, and
/// nothing to code that was not specialized.
class DeadFieldTest {
  private static final String SPECIALIZED_AT_LOAD = "tigris.specialized.at.load";

  private static final String KINDS =
      """
      package app;
      import dev.tigris.memory.*;
      public class Kinds<T extends Kinds<T, ?>, U extends T> extends Pso {
        public enum Side { BUY, SELL }
        public static class Point extends Pso {
          public int x;
          public Point(Container container) { super(container); }
        }
        public class Inner extends Pso {
          public T outer;
          public Inner(Container container) { super(container); }
        }
        public boolean truth;
        public byte small;
        public char letter;
        protected short brief;
        public volatile int number;
        long large;
        public float rough;
        public double fine;
        public Side side;
        public Kinds<T, U> self;
        public T variable;
        public U bounded;
        public PsoList<Point> list;
        public PsoArray array;
        @Capacity(12) public Utf8 text;
        @Capacity(4) public Ints ints;
        @InPlace public Point point;
        @HeapOnly public java.util.List<T> note;
        public static int made;
        public Kinds(Container container) { super(container); }
        public Inner inner() { return new Inner(null); }
      }
      """;

  /// A method for each field, named as the field is.
  private static final String USER =
      """
      package app;
      import dev.tigris.memory.*;
      @SuppressWarnings("rawtypes")
      public class User {
        static final class Own extends Kinds<Own, Own> {
          Own(Container container) { super(container); }
        }
        public static Pso make(Container container) { return new Own(container); }
        public static Object truth(Own k) { k.truth ^= true; return k.truth; }
        public static Object small(Own k) { k.small++; return k.small; }
        public static Object letter(Own k) { k.letter = 'x'; return k.letter; }
        public static Object brief(Own k) { k.brief -= 3; return k.brief; }
        public static Object number(Own k) { return ++k.number; }
        public static Object large(Own k) { k.large |= 1L << 40; return k.large; }
        public static Object rough(Own k) { k.rough = 1.5f; return k.rough; }
        public static Object fine(Own k) { return k.fine += 0.5; }
        public static Object side(Own k) { k.side = Kinds.Side.SELL; return k.side.name(); }
        public static Object self(Own k) { k.self = k; return k.self.getClass() == Own.class; }
        public static Object variable(Own k) { return k.variable == null; }
        public static Object bounded(Own k) { Own own = k.bounded; return own == null; }
        public static Object list(Own k) { PsoList<Kinds.Point> list = k.list; return list == null; }
        public static Object array(Own k) { return k.array == null; }
        public static Object text(Own k) { k.text.set("text"); return k.text.toString(); }
        public static Object ints(Own k) { k.ints.set(3, 7); return k.ints.get(3); }
        public static Object point(Own k) { return k.point.getClass().getSimpleName(); }
        public static Object note(Own k) { k.note = java.util.List.of(k); return k.note.get(0) == k; }
        public static Object made(Own k) { return Kinds.made; }
      }
      """;

  private static final Map<String, String> EXPECTED =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("truth", "true"),
              Map.entry("small", "1"),
              Map.entry("letter", "x"),
              Map.entry("brief", "-3"),
              Map.entry("number", "1"),
              Map.entry("large", "1099511627776"),
              Map.entry("rough", "1.5"),
              Map.entry("fine", "0.5"),
              Map.entry("side", "SELL"),
              Map.entry("self", "true"),
              Map.entry("variable", "true"),
              Map.entry("bounded", "true"),
              Map.entry("list", "true"),
              Map.entry("array", "true"),
              Map.entry("text", "text"),
              Map.entry("ints", "7"),
              Map.entry("point", "Point"),
              Map.entry("note", "true"),
              Map.entry("made", "0")));

  @TempDir private Path temporary;
  private Path compiled = Path.of("");
  private Path specialized = Path.of("");

  @BeforeEach
  void specialize() throws IOException {
    compiled = temporary.resolve("compiled");
    Outside.compile(compiled, "Kinds", KINDS);
    specialized = temporary.resolve("specialized");
    Outside.compile(specialized, "Kinds", KINDS);
    Outside.specialize(specialized);
  }

  /// Compiles the code that uses the objects; no warning is passed over.
  private Path user(Path against) throws IOException {
    Path folder = Files.createDirectories(temporary.resolve("user of " + against.getFileName()));
    Path file = Files.writeString(folder.resolve("User.java"), USER);
    String path = Outside.MEMORY + ":" + against;
    ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
    String[] options = {"-Xlint:all,-path", "-Werror", "-d", folder.toString(), "-cp", path};
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.add(file.toString());
    assertEquals(0, javac.run(System.out, System.err, arguments.toArray(String[]::new)));
    return folder;
  }

  private static URLClassLoader loader(Path... path) throws IOException {
    URL[] urls = new URL[path.length];
    for (int index = 0; index < path.length; index++) {
      urls[index] = path[index].toUri().toURL();
    }
    return new URLClassLoader(urls, Pso.class.getClassLoader());
  }

  /// What the user finds in each field, or what is thrown.
  private static Map<String, String> run(Path... path) throws Exception {
    Map<String, String> found = new TreeMap<>();
    try (URLClassLoader loader = loader(path)) {
      Class<?> user = loader.loadClass("app.User");
      Container container = Jbuf.allocate(4096).asContainer();
      Object own = user.getMethod("make", Container.class).invoke(null, container);
      for (Method method : user.getMethods()) {
        if (EXPECTED.containsKey(method.getName())) {
          try {
            found.put(method.getName(), String.valueOf(method.invoke(null, own)));
          } catch (InvocationTargetException e) {
            found.put(method.getName(), String.valueOf(e.getCause()));
          }
        }
      }
    }
    return found;
  }

  @Test
  void compilersSeeWhatTheySawBefore() throws Exception {
    Path before = user(compiled);
    Path after = user(specialized);
    byte[] expected = Files.readAllBytes(before.resolve("app/User.class"));
    assertArrayEquals(expected, Files.readAllBytes(after.resolve("app/User.class")));
    Outside.specialize(after, specialized);
    assertEquals(EXPECTED, run(after, specialized));
  }

  @Test
  void anAccessThatWasNotRewrittenFails() throws Exception {
    // The class of objects that it declares is specialized, and it is not.
    Path user = user(specialized);
    Path file = user.resolve("app/User.class");
    byte[] forgotten = Files.readAllBytes(file);
    Outside.specialize(user, specialized);
    Files.write(file, forgotten);
    var told = assertThrows(InvocationTargetException.class, () -> run(user, specialized));
    assertInstanceOf(UnspecializedClassException.class, told.getCause());
    Map<String, String> found;
    System.setProperty(SPECIALIZED_AT_LOAD, "true"); // what is left when nothing is told before
    try {
      found = run(user, specialized);
    } finally {
      System.clearProperty(SPECIALIZED_AT_LOAD);
    }
    assertEquals(EXPECTED.keySet(), found.keySet());
    found.forEach(
        (field, value) -> {
          if (field.equals("note") || field.equals("made")) {
            assertEquals(EXPECTED.get(field), value);
          } else {
            assertTrue(value.startsWith("java.lang.NoSuchFieldError: "), field + ": " + value);
          }
        });
  }

  @Test
  void nothingButAByteIsLeftOfEachField() throws Exception {
    try (URLClassLoader before = loader(compiled);
        URLClassLoader after = loader(specialized)) {
      for (String name : List.of("app.Kinds", "app.Kinds$Point", "app.Kinds$Inner")) {
        Map<String, Field> left = fields(after.loadClass(name));
        for (Field field : before.loadClass(name).getDeclaredFields()) {
          Field now = left.get(field.getName());
          assertEquals(field.getModifiers(), now.getModifiers());
          assertEquals(field.toGenericString(), now.toGenericString());
          assertEquals(field.getAnnotations().length, now.getAnnotations().length);
          boolean dead =
              !Modifier.isStatic(field.getModifiers())
                  && !field.isAnnotationPresent(HeapOnly.class)
                  && !name.endsWith("Inner"); // its type is a variable of the class around it
          Class<?> expected = field.getType() == byte.class ? boolean.class : byte.class;
          Class<?> actual = now.getType();
          assertEquals((dead ? expected : field.getType()).getName(), actual.getName());
        }
      }
    }
  }

  private static Map<String, Field> fields(Class<?> type) {
    return List.of(type.getDeclaredFields()).stream()
        .collect(Collectors.toMap(Field::getName, Function.identity()));
  }

  private static String describe(Path path) throws Exception {
    try (URLClassLoader loader = loader(path)) {
      Class<? extends Pso> kinds = loader.loadClass("app.Kinds").asSubclass(Pso.class);
      Class<? extends Pso> inner = loader.loadClass("app.Kinds$Inner").asSubclass(Pso.class);
      return PsoLayout.of(kinds)
          + PsoLayout.of(inner).toString()
          + Schema.of(kinds).fingerprint()
          + Schema.of(inner).fingerprint();
    }
  }

  @Test
  void layoutAndSchemaAreThoseOfTheDeclaration() throws Exception {
    assertEquals(describe(compiled), describe(specialized));
  }

  /// Makes of each class what an earlier specializer made.
  ///
  /// @param fields those that it left, of the class as it was compiled and as it is specialized now
  private Path specializedEarlier(BinaryOperator<List<FieldModel>> fields) throws IOException {
    Path folder = Files.createDirectories(temporary.resolve("earlier"));
    for (String name : List.of("Kinds", "Kinds$Side", "Kinds$Point", "Kinds$Inner")) {
      Path file = Path.of("app", name + ".class");
      ClassModel before = ClassFile.of().parse(Files.readAllBytes(compiled.resolve(file)));
      ClassModel after = ClassFile.of().parse(Files.readAllBytes(specialized.resolve(file)));
      byte[] earlier =
          ClassFile.of()
              .transformClass(
                  after,
                  (builder, element) -> {
                    if (!(element instanceof FieldModel)) {
                      builder.with(element);
                    } else if (element == after.fields().getFirst()) {
                      fields.apply(before.fields(), after.fields()).forEach(builder::with);
                    }
                  });
      Files.createDirectories(folder.resolve("app"));
      Files.write(folder.resolve(file), earlier);
    }
    return folder;
  }

  /// Once there was a byte of each field, and what was recovered was remembered elsewhere.
  @Test
  void saysWhatToDoAboutAClassThatWasSpecializedBetween() throws Exception {
    Path earlier =
        specializedEarlier(
            (before, after) ->
                after.stream().filter(field -> !field.flags().has(AccessFlag.SYNTHETIC)).toList());
    Path user = user(earlier);
    Outside.specialize(user, earlier);
    Throwable thrown = assertThrows(InvocationTargetException.class, () -> run(user, earlier));
    Throwable cause = Objects.requireNonNull(thrown.getCause());
    assertInstanceOf(UnspecializedClassException.class, cause);
    assertTrue(
        cause.getMessage().startsWith("app.Kinds was specialized by an earlier version"),
        cause.getMessage());
  }

  @Test
  void classesWhoseFieldsWereLeftAsTheyAreCanStillBeUsed() throws Exception {
    Path earlier = specializedEarlier((before, after) -> before);
    byte[] kinds = Files.readAllBytes(earlier.resolve("app/Kinds.class"));
    Path user = user(earlier);
    Outside.specialize(user, earlier);
    assertEquals(EXPECTED, run(user, earlier));
    assertEquals(EXPECTED, run(user, specialized));
    Outside.specialize(earlier);
    assertArrayEquals(kinds, Files.readAllBytes(earlier.resolve("app/Kinds.class")));
  }

  @Test
  void aUserIsRewrittenToTheSameCallSitesAgainstEither() throws Exception {
    Path before = user(compiled);
    Outside.specialize(before, compiled);
    Path after = user(specialized);
    Outside.specialize(after, specialized);
    for (String name : List.of("app/User.class", "app/User$Own.class")) {
      byte[] expected = Files.readAllBytes(before.resolve(name));
      assertArrayEquals(expected, Files.readAllBytes(after.resolve(name)));
    }
  }
}
