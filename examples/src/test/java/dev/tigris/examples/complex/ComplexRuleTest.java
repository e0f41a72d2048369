package dev.tigris.examples.complex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.specializer.ClassHierarchy;
import dev.tigris.specializer.ClassSource;
import dev.tigris.specializer.Specialized;
import dev.tigris.specializer.Specializer;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.constant.ClassDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ComplexRuleTest {
  @TempDir private Path temporary;

  /// Expressions of every form, which the tests run as they are and specialized.
  public static final class Forms {
    private static final Complex ONE = new Complex(1, 0);

    private final Complex own = new Complex(0.25, -7);

    public static double[] all(Complex a, Complex b, Complex[] array) {
      Forms forms = new Forms();
      Complex result = new Complex(0, 0);
      result.set(a.plus(b).times(a.minus(b)));
      Complex kept = a.times(b).times(ONE).minus(forms.own);
      Complex single = a.plus(b);
      int index = 1;
      return new double[] {
        result.re(),
        result.im(),
        kept.re(),
        kept.im(),
        single.im(),
        a.plus(array[index]).norm(),
        new Complex(a.re() * 2, -b.im()).plus(array[index - 1]).im(),
        a.times(b).re() + a.minus(b).re(),
        b.norm(),
        a.re() > 0 ? a.plus(a).re() : b.minus(b).im(),
      };
    }

    public static boolean same(Complex a, Complex b) {
      return a.plus(b) == a;
    }

    public static double nothing(Complex a) {
      return a.plus(null).re();
    }
  }

  private static byte[] resource(ClassDesc type) {
    try (InputStream in =
        ComplexRuleTest.class.getResourceAsStream("/" + ClassSource.pathOf(type))) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Specialized specialize(Class<?> type) {
    Specializer specializer =
        new Specializer(new ClassHierarchy(ComplexRuleTest::resource), List.of(new ComplexRule()));
    Specialized specialized =
        specializer.specialize(resource(type.describeConstable().orElseThrow()));
    assertEquals(List.of(), specialized.problems());
    assertTrue(specialized.changed());
    return specialized;
  }

  /// The class as the rule has it, beside the one that was compiled.
  private static Class<?> specialized(Class<?> type) {
    byte[] bytes = specialize(type).bytes();
    return new ClassLoader(type.getClassLoader()) {
      Class<?> define() {
        return defineClass(type.getName(), bytes, 0, bytes.length);
      }
    }.define();
  }

  private static MethodHandle find(Class<?> type, String name, Class<?> result, Class<?>... takes)
      throws ReflectiveOperationException {
    return MethodHandles.publicLookup()
        .findStatic(type, name, MethodType.methodType(result, takes));
  }

  private static long news(byte[] classFile, String method) {
    return ClassFile.of().parse(classFile).methods().stream()
        .filter(found -> found.methodName().equalsString(method))
        .flatMap(found -> found.code().orElseThrow().elementStream())
        .filter(
            element ->
                element instanceof Instruction instruction && instruction.opcode() == Opcode.NEW)
        .count();
  }

  @Test
  void givesTheSameResultsToTheBit() throws Throwable {
    MethodHandle all =
        find(
            specialized(Forms.class),
            "all",
            double[].class,
            Complex.class,
            Complex.class,
            Complex[].class);
    double[] values = {0.0, -0.0, 1.5, -3.25e100, Double.NaN, Double.POSITIVE_INFINITY};
    for (double re : values) {
      for (double im : values) {
        Complex a = new Complex(re, im);
        Complex b = new Complex(im - 1, 3);
        Complex[] array = {b, a};
        double[] expected = Forms.all(a, b, array);
        double[] actual = (double[]) all.invokeExact(a, b, array);
        for (int index = 0; index < expected.length; index++) {
          assertEquals(
              Double.doubleToRawLongBits(expected[index]),
              Double.doubleToRawLongBits(actual[index]),
              index + " of " + re + ", " + im);
        }
      }
    }
  }

  @Test
  void leavesIdentityAndNullsAsTheyAre() throws Throwable {
    Class<?> forms = specialized(Forms.class);
    Complex a = new Complex(1, 2);
    assertEquals(
        false,
        (boolean) find(forms, "same", boolean.class, Complex.class, Complex.class).invoke(a, a));
    MethodHandle nothing = find(forms, "nothing", double.class, Complex.class);
    assertThrows(NullPointerException.class, () -> Forms.nothing(a));
    assertThrows(NullPointerException.class, () -> nothing.invoke(a));
  }

  /// What the loop allocates in a JVM that only interprets: there, what the code says is done.
  private long allocatedBytes(Path... classes) {
    String output = Jvm.onClassPath("Allocation", classes).options("-Xint").command().output();
    assertTrue(output.startsWith("1000 1000 "), output);
    return Long.parseLong(output.substring("1000 1000 ".length()).strip());
  }

  @Test
  void allocatesNothing() throws Exception {
    Path compiled = Path.of("target", "classes").toAbsolutePath();
    Path program = Files.createDirectories(temporary.resolve("program"));
    Path source = program.resolve("Allocation.java");
    try (InputStream in =
        ComplexRuleTest.class.getClassLoader().getResourceAsStream("complex/Allocation.java.txt")) {
      Files.copy(in, source);
    }
    ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
    String[] arguments = {"-d", program.toString(), "-cp", compiled.toString(), source.toString()};
    assertEquals(0, javac.run(System.out, System.err, arguments));
    Path ruled = temporary.resolve("ruled");
    Path julia = ruled.resolve("dev/tigris/examples/complex/Julia.class");
    Files.createDirectories(julia.getParent());
    Files.write(julia, specialize(Julia.class).bytes());

    // Two objects a step, each with a header and two doubles.
    long before = allocatedBytes(program, compiled);
    assertTrue(before >= 1_000 * 2 * 24, before + " bytes");
    assertEquals(0, allocatedBytes(program, ruled, compiled));
    assertEquals(0, news(specialize(Julia.class).bytes(), "steps"));
  }

  @Test
  void drawsTheSameJuliaSet() throws Throwable {
    Complex c = new Complex(-0.4, 0.6);
    MethodHandle total =
        find(specialized(Julia.class), "total", long.class, int.class, Complex.class, int.class);
    assertEquals(Julia.total(64, c, 200), (long) total.invokeExact(64, c, 200));
  }
}
