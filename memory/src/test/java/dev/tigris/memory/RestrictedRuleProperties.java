package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.raw.Raw;
import dev.tigris.specializer.ClassHierarchy;
import dev.tigris.specializer.RuleList;
import dev.tigris.specializer.Specialized;
import dev.tigris.specializer.Specializer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

/// Whatever the text of a restricted rule: it is refused, or its recipe is verified, stays inside
/// of the structure, and does the same compiled and interpreted.
class RestrictedRuleProperties {
  private static final int SIZE = 32;
  private static final ClassDesc TARGET = ClassDesc.of("app.Target");
  private static final ClassDesc PSO = ClassDesc.of("dev.tigris.memory.Pso");

  /// What follows a hot call site is inlined by C2 up to this size (`-XX:FreqInlineSize`).
  private static final int C2_INLINES_BYTES = 325;

  private static Path folder = Path.of("");

  /// The bytes that a recipe may touch, and others around them.
  static final class Room extends Pso {
    @Capacity(SIZE)
    Bytes bytes;

    Room(Container container) {
      super(container);
    }
  }

  private final Container container = Jbuf.allocate(4096).asContainer();

  @BeforeContainer
  static void makeFolder() throws IOException {
    folder = Files.createTempDirectory("tigris-rules");
  }

  @AfterContainer
  static void deleteFolder() throws IOException {
    for (String name : List.of("list", "random.rules", "Rules.java", "Rules.class")) {
      Files.deleteIfExists(folder.resolve(name));
    }
    Files.delete(folder);
  }

  /// A method of a rule.
  private record Method(MethodTypeDesc type, String text) {}

  /// Writes rules that are right more often than not, so that both outcomes are common.
  private static final class Author {
    private static final List<Primitive> TYPES = List.of(Primitive.values());
    private static final List<String> OPERATORS =
        List.of("+", "-", "*", "/", "&", "|", "^", "<<", ">>", ">>>", "==", "!=");

    private final Random random;

    Author(Random random) {
      this.random = random;
    }

    private <T> T one(List<T> of) {
      return of.get(random.nextInt(of.size()));
    }

    private static String name(Primitive type) {
      return type.type().getName();
    }

    Method method() {
      Primitive parameter = one(TYPES);
      Primitive result = one(TYPES);
      boolean takes = random.nextBoolean();
      String head = " run(" + (takes ? name(parameter) + " x" : "") + ")";
      List<ClassDesc> parameters = takes ? List.of(desc(parameter.type())) : List.of();
      if (random.nextBoolean()) {
        StringBuilder pokes = new StringBuilder();
        for (int count = random.nextInt(3); count >= 0; count--) {
          Primitive type = one(TYPES);
          pokes.append(place(type, "release ")).append(" = ");
          pokes.append(of(type, takes)).append("; ");
        }
        return new Method(
            MethodTypeDesc.of(desc(void.class), parameters), "void" + head + "{" + pokes + "}");
      }
      return new Method(
          MethodTypeDesc.of(desc(result.type()), parameters),
          name(result) + head + " = " + of(result, takes) + ";");
    }

    /// An expression, cast to a type, which can be wrong for booleans.
    private String of(Primitive type, boolean takes) {
      String expression = expression(takes, 3);
      return random.nextInt(8) == 0 ? expression : "(" + name(type) + ") (" + expression + ")";
    }

    private String expression(boolean takes, int depth) {
      return switch (random.nextInt(depth == 0 ? 3 : 7)) {
        case 0 -> takes ? "x" : "7";
        case 1 -> literal();
        case 2 -> place(one(TYPES), "acquire ");
        case 3 -> one(List.of("- ", "~", "!", "(int) ", "(float) ")) + expression(takes, depth - 1);
        default ->
            one(List.of("(%s %s %s)", "%s %s %s"))
                .formatted(
                    expression(takes, depth - 1), one(OPERATORS), expression(takes, depth - 1));
      };
    }

    private String literal() {
      return switch (random.nextInt(6)) {
        case 0 -> "0x" + Integer.toHexString(random.nextInt());
        case 1 -> random.nextLong() + "L";
        case 2 -> Float.toString(random.nextFloat()) + "f";
        case 3 -> Double.toString(random.nextDouble());
        case 4 -> Boolean.toString(random.nextBoolean());
        default -> Integer.toString(random.nextInt(100));
      };
    }

    private String place(Primitive type, String order) {
      int size = type.sizeBytes();
      int offset = random.nextInt(SIZE / size) * size;
      if (random.nextInt(20) == 0) {
        offset = random.nextInt(SIZE * 2);
      }
      boolean big = random.nextInt(3) == 0 && (size > 1 || random.nextInt(8) == 0);
      return "%s%s%s @%d"
          .formatted(random.nextInt(4) == 0 ? order : "", big ? "big " : "", name(type), offset);
    }
  }

  private static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }

  private static byte @Nullable [] resource(ClassDesc type) {
    String name = type.packageName().replace('.', '/') + "/" + type.displayName() + ".class";
    try (InputStream in = RestrictedRuleProperties.class.getResourceAsStream("/" + name)) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// What the specializer writes into a class for a rule.
  ///
  /// @return nothing if the rule is refused
  private static Optional<String> recipe(Method method, boolean isDamaged) throws IOException {
    String text = "structure app.Target of " + SIZE + " bytes {\n  " + method.text + "\n}\n";
    Files.writeString(folder.resolve("random.rules"), text);
    Path list = Files.writeString(folder.resolve("list"), "restricted random.rules\n");
    Specializer specializer;
    try {
      specializer =
          new Specializer(
              new ClassHierarchy(RestrictedRuleProperties::resource),
              RuleList.read(list, List.of(), List.of()));
    } catch (IOException refused) {
      assertTrue(
          refused.getMessage().matches("(?s).*random.rules:\\d+:\\d+: .*"), refused.toString());
      return Optional.empty();
    }
    byte[] target =
        ClassFile.of()
            .build(
                TARGET,
                type ->
                    type.withSuperclass(PSO)
                        .withMethod("run", method.type, ClassFile.ACC_NATIVE, body -> {}));
    Specialized specialized = specializer.specialize(target);
    if (isDamaged && !specialized.problems().isEmpty()) {
      // The damage was to the method's name or type, and the one in the class has no meaning.
      return Optional.empty();
    }
    assertEquals(List.of(), specialized.problems());
    return ClassFile.of().parse(specialized.bytes()).methods().stream()
        .filter(found -> found.methodName().equalsString("run"))
        .flatMap(found -> found.code().stream().flatMap(CodeModel::elementStream))
        .filter(InvokeDynamicInstruction.class::isInstance)
        .map(element -> ((InvokeDynamicInstruction) element).bootstrapArgs().getFirst())
        .map(ConstantDesc::toString)
        .findFirst();
  }

  private static Recipe read(MethodTypeDesc type, String text) {
    try {
      MethodType resolved =
          type.insertParameterTypes(0, PSO).resolveConstantDesc(MethodHandles.lookup());
      return new Recipe("run", resolved, SIZE, 0, 0, RecipeText.parse(text));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no type " + type, e);
    }
  }

  private static MethodHandle compile(Recipe recipe) throws Exception {
    List<Object> constants = new ArrayList<>();
    byte[] classFile =
        RecipeCompiler.compile(
            ClassDesc.of("dev.tigris.memory.Compiled"),
            PsoClass.of(Room.class),
            List.of(recipe),
            List.of("run"),
            constants);
    MethodModel method = ClassFile.of().parse(classFile).methods().getFirst();
    int codeBytes = method.findAttribute(Attributes.code()).orElseThrow().codeLength();
    assertTrue(codeBytes <= C2_INLINES_BYTES, recipe + " " + codeBytes);
    Lookup hidden =
        MethodHandles.lookup().defineHiddenClassWithClassData(classFile, constants, true);
    return hidden.findStatic(hidden.lookupClass(), "run", recipe.type());
  }

  private static Object value(Class<?> type, Random random) {
    return switch (Primitive.of(type)) {
      case BOOLEAN -> random.nextBoolean();
      case BYTE -> (byte) random.nextInt();
      case SHORT -> (short) random.nextInt();
      case CHAR -> (char) random.nextInt();
      case INT -> random.nextInt();
      case LONG -> random.nextLong();
      case FLOAT -> random.nextFloat() * 1e10f;
      case DOUBLE -> random.nextDouble() * 1e20;
    };
  }

  private byte[] everything() {
    return Raw.range(container.address, container.capacityBytes()).toArray(ValueLayout.JAVA_BYTE);
  }

  @Property(tries = 300)
  void aRuleIsRefusedOrItsRecipeIsSafeAndMeansOneThing(@ForAll long seed) throws Throwable {
    Random random = new Random(seed);
    Method method = new Author(random).method();
    Optional<String> text = recipe(method, false);
    if (text.isEmpty()) {
      return;
    }
    Recipe recipe = read(method.type, text.get());
    recipe.verify();

    container.clear();
    Room compiled = new Room(container);
    Room interpreted = new Room(container);
    for (long index = 0; index < SIZE; index++) {
      byte value = (byte) random.nextInt();
      compiled.bytes.set(index, value);
      interpreted.bytes.set(index, value);
    }
    byte[] before = everything();
    boolean takes = recipe.type().parameterCount() == 2;
    Object argument = takes ? value(recipe.type().parameterType(1), random) : null;
    MethodHandle handle = compile(recipe);
    Object result = takes ? handle.invoke(compiled, argument) : handle.invoke(compiled);
    assertEquals(RecipeInterpreter.run(recipe, interpreted, argument), result, text.get());
    byte[] after = everything();
    for (int index = 0; index < SIZE; index++) {
      int first = (int) compiled.offset() + index;
      int second = (int) interpreted.offset() + index;
      assertEquals(after[second], after[first], text.get());
      before[first] = after[first];
      before[second] = after[second];
    }
    // Nothing else has changed.
    assertArrayEquals(before, after, text.get());
  }

  @Example
  void theAuthorWritesRulesOfBothKinds() throws IOException {
    int accepted = 0;
    for (long seed = 0; seed < 100; seed++) {
      accepted += recipe(new Author(new Random(seed)).method(), false).isPresent() ? 1 : 0;
    }
    assertTrue(accepted > 25 && accepted < 90, accepted + " of 100 were accepted");
  }

  /// What a rule reads, and what Java would.
  private static final Pattern PLACE =
      Pattern.compile("(?:acquire )?(big )?([a-z])([a-z]+) @(\\d+)");

  private static String inJava(Method method, int number) {
    String body =
        PLACE
            .matcher(method.text.replace("run(", "run" + number + "("))
            .replaceAll(
                place -> {
                  String order = place.group(1) == null ? "little" : "big";
                  String at = "(" + place.group(4) + ")";
                  return switch (place.group(2) + place.group(3)) {
                    case "boolean" -> "((little.get" + at + " & 1) != 0)";
                    case "byte" -> "little.get" + at;
                    case String _ -> {
                      String type = place.group(2).toUpperCase(Locale.ROOT) + place.group(3);
                      yield order + ".get" + type + at;
                    }
                  };
                });
    return "public static " + body.replaceFirst(" = ", " { return ") + " }\n";
  }

  @Example
  void anExpressionMeansWhatItDoesInJava() throws Throwable {
    StringBuilder source = new StringBuilder("import java.nio.ByteBuffer;\npublic class Rules {\n");
    source.append("public static ByteBuffer little;\npublic static ByteBuffer big;\n");
    List<Recipe> recipes = new ArrayList<>();
    for (long seed = 0; seed < 1_000; seed++) {
      Method method = new Author(new Random(seed)).method();
      Optional<String> text = method.text.contains("{") ? Optional.empty() : recipe(method, false);
      if (text.isPresent()) {
        source.append(inJava(method, recipes.size()));
        recipes.add(read(method.type, text.get()));
      }
    }
    assertTrue(recipes.size() > 150, recipes.size() + " rules were accepted");
    Files.writeString(folder.resolve("Rules.java"), source.append("}\n"));
    String[] arguments = {"-d", folder.toString(), folder.resolve("Rules.java").toString()};
    ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
    assertEquals(0, javac.run(System.out, System.err, arguments), "javac takes what a rule may be");

    Random random = new Random(0);
    Room room = new Room(container);
    ByteBuffer little = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
    try (var loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      Class<?> rules = loader.loadClass("Rules");
      rules.getField("little").set(null, little);
      rules.getField("big").set(null, little.duplicate());
      for (int number = 0; number < recipes.size(); number++) {
        Recipe recipe = recipes.get(number);
        for (int index = 0; index < SIZE; index++) {
          byte value = (byte) random.nextInt();
          little.put(index, value);
          room.bytes.set(index, value);
        }
        Class<?>[] types = recipe.type().dropParameterTypes(0, 1).parameterArray();
        Object argument = types.length == 0 ? null : value(types[0], random);
        Object[] given = types.length == 0 ? new Object[0] : new Object[] {argument};
        assertEquals(
            rules.getMethod("run" + number, types).invoke(null, given),
            RecipeInterpreter.run(recipe, room, argument),
            recipe.toString());
      }
    }
  }

  /// A rule with some of its characters replaced by others.
  @Property(tries = 400)
  void damagedRulesAreRefusedWithTheirPlaceOrSafe(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    Method method = new Author(random).method();
    StringBuilder text = new StringBuilder(method.text);
    for (int count = random.nextInt(4); count >= 0; count--) {
      char other = "@=();{}-~!x0bfL. \t\"\u00e4".charAt(random.nextInt(20));
      text.setCharAt(random.nextInt(text.length()), other);
    }
    recipe(new Method(method.type, text.toString()), true)
        .ifPresent(recipe -> read(method.type, recipe).verify());
  }
}
