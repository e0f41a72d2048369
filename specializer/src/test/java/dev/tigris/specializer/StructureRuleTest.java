package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Restricted rules, over classes that were compiled for it.
class StructureRuleTest extends InWorkshop {
  private static final String HEADER =
      """
      package app;
      import dev.tigris.memory.*;
      public class Header extends Pso {
        @Capacity(4) private Ints words;
        private int plain;
        public Header(Container container) { super(container); }
        public native int version();
        public native int plain();
        public synchronized native void length(int value);
        int twice() { return version() * 2; }
        final int forEver() { return forEver(); }
      }
      """;

  private static final String RULES =
      """
      structure app.Header of 16 bytes {
        int version() = byte @0 >> 4;
        void length(int value) { big char @2 = (char) value; }
        int forEver() = 7;
      }
      """;

  private Specializer specializer(String rules) throws IOException {
    Files.writeString(temporary.resolve("header.rules"), rules);
    Path list =
        Files.writeString(temporary.resolve("list"), "pso-field\nrestricted header.rules\n");
    return new Specializer(
        new ClassHierarchy(shop.classPath), RuleList.read(list, List.of(), List.of()));
  }

  private static List<String> sites(byte[] classFile, String method) {
    List<String> sites = new ArrayList<>();
    for (MethodModel candidate : ClassFile.of().parse(classFile).methods()) {
      if (candidate.methodName().equalsString(method)) {
        for (CodeElement element : candidate.code().orElseThrow()) {
          if (element instanceof InvokeDynamicInstruction site) {
            sites.add(
                site.bootstrapMethod().methodName()
                    + " "
                    + site.name().stringValue()
                    + site.typeSymbol().displayDescriptor()
                    + " "
                    + site.bootstrapArgs().getLast());
          }
        }
      }
    }
    return sites;
  }

  @Test
  void givesMethodsWithoutABodyTheirMeaning() throws IOException {
    shop.javac.compile(HEADER);
    Specialized header = specializer(RULES).specialize(shop.bytes("app/Header"));
    assertEquals(List.of(), header.problems());
    assertEquals(
        List.of(
            "recipe version(Header)int peek byte @0; convert byte int; constant int 4; shr int"),
        sites(header.bytes(), "version"));
    assertEquals(
        List.of(
            "recipe length(Header,int)void"
                + " argument; convert int char; reverse char; poke char @2"),
        sites(header.bytes(), "length"));
    for (MethodModel method : ClassFile.of().parse(header.bytes()).methods()) {
      assertFalse(method.flags().has(AccessFlag.NATIVE), method.toString());
    }
    assertEquals(List.of(), ClassFile.of().verify(header.bytes()));
    assertTrue(header.report().methods().toString().contains("header.rules"));
  }

  @Test
  void refusesAClassThatAnEarlierRuleGaveItsMeaning() throws IOException {
    shop.javac.compile(HEADER);
    byte[] before = specializer(RULES).specialize(shop.bytes("app/Header")).bytes();
    assertEquals(List.of(), specializer(RULES).specialize(before).problems());
    Specializer changed = specializer(RULES.replace(">> 4", ">> 5"));
    List<Problem> problems = changed.specialize(before).problems();
    assertEquals(1, problems.size(), problems.toString());
    String message = problems.getFirst().toString();
    assertTrue(message.startsWith("app.Header.version"), message);
    assertTrue(message.contains("compile it again"), message);
    assertEquals(problems, changed.check(before));
  }

  @Test
  void changesNoMethodThatHasAMeaning() throws IOException {
    shop.javac.compile(HEADER);
    Specializer ruled = specializer(RULES);
    byte[] header = ruled.specialize(shop.bytes("app/Header")).bytes();
    assertEquals(List.of(), sites(header, "twice"));
    // What stands for a field goes on doing so.
    assertEquals(List.of("field get(Header)int plain"), sites(header, "plain"));
    // A method that only calls itself has no meaning either.
    assertEquals(List.of("recipe forEver(Header)int constant int 7"), sites(header, "forEver"));
    assertFalse(ruled.specialize(header).changed());
  }

  @Test
  void leavesEveryOtherClassAlone() throws IOException {
    shop.javac.compile(
        HEADER, "package app; class User { int use(Header header) { return header.version(); } }");
    assertFalse(specializer(RULES).specialize(shop.bytes("app/User")).changed());
    shop.javac.compile("package app; class Header { native int version(); }");
    assertFalse(specializer(RULES).specialize(shop.bytes("app/Header")).changed());
  }

  @Test
  void refusesWhatIsSaidInVain() throws IOException {
    String problem =
        problem(HEADER, RULES.replace("forEver() = 7;", "forEver() = 7; int twice() = 7;"));
    assertTrue(
        problem.startsWith("app.Header.twice(Header.java): header.rules gives a meaning to"),
        problem);
    assertTrue(
        problem.contains("'int twice()', which the class does not declare as a method"), problem);
    problem =
        problem(
            HEADER,
            RULES.replace("forEver() = 7;", "forEver() = 7; void set(int i) { int @4 = i; }"));
    assertTrue(
        problem.startsWith("app.Header.set(Header.java): header.rules gives a meaning to"),
        problem);
    assertTrue(problem.contains("'void set(int)', which the class does not declare:"), problem);
  }

  private String problem(String source, String rules) throws IOException {
    shop.javac.compile(source);
    Specialized header = specializer(rules).specialize(shop.bytes("app/Header"));
    assertFalse(header.changed());
    return header.problems().getFirst().toString();
  }

  @Test
  void refusesMethodsWithoutABodyThatNobodyNames() throws IOException {
    String problem = problem(HEADER, "structure app.Header of 16 bytes { long version() = 1; }");
    assertTrue(problem.startsWith("app.Header.version(Header.java): has no body"), problem);
    assertTrue(problem.contains("name it in a rule"), problem);
    problem =
        problem(
            HEADER
                .replace("native int version", "static native int version")
                .replace("return version() * 2", "return 1"),
            RULES);
    assertTrue(problem.startsWith("app.Header.version(Header.java): has no body"), problem);
  }

  @Test
  void refusesAMethodThatAFieldAndARuleGiveAMeaning() throws IOException {
    String problem = problem(HEADER, RULES.replace("int forEver()", "int plain()"));
    assertTrue(problem.startsWith("app.Header.plain(Header.java): "), problem);
    assertTrue(problem.contains("rename the field"), problem);
  }

  @Test
  void reportsThatAMethodWithoutABodyHadNoCode() throws IOException {
    shop.javac.compile(HEADER);
    String text =
        new Report(
                1,
                1,
                List.of(specializer(RULES).specialize(shop.bytes("app/Header")).report()),
                List.of(),
                List.of(),
                List.of())
            .text();
    assertTrue(text.contains("  version()int  0 -> 7 bytes\n"), text);
    assertTrue(text.contains("\n    getfield app.Header.plain  by pso-field\n"), text);
  }

  @Test
  void refusesClassesWithAnotherSuperclass() throws IOException {
    shop.javac.compile(Workshop.TRADE);
    String problem = problem(HEADER.replace("extends Pso", "extends Trade"), RULES);
    assertTrue(problem.contains("must extend Pso directly"), problem);
  }

  @Test
  void saysWhereInWhichFile() throws IOException {
    Path rules = temporary.resolve("header.rules");
    assertTrue(
        assertThrows(
                IOException.class, () -> specializer("structure app.Header of 8 bytes {\n  x\n}"))
            .getMessage()
            .startsWith(rules + ":2:3: a method's return type is expected here"));
    Path list = Files.writeString(temporary.resolve("other"), "\n  restricted absent.rules\n");
    String message =
        assertThrows(IOException.class, () -> RuleList.read(list, List.of(), List.of()))
            .getMessage();
    assertTrue(message.startsWith(list + ":2:3: there is no "), message);
  }

  @Test
  void refusesAMethodThatTwoFilesDescribe() throws IOException {
    Files.writeString(temporary.resolve("one.rules"), RULES);
    Path two =
        Files.writeString(
            temporary.resolve("two.rules"),
            "structure app.Header of 16 bytes {\n  int other() = 1;\n  int version() = 1;\n}");
    Path list =
        Files.writeString(
            temporary.resolve("both"), "restricted one.rules\n  restricted two.rules\n");
    String message =
        assertThrows(IOException.class, () -> RuleList.read(list, List.of(), List.of()))
            .getMessage();
    assertEquals(
        list
            + ":2:3: app.Header.version()int has a meaning in one.rules already: remove "
            + "one of the two",
        message);
    Files.writeString(two, "structure app.Header of 16 bytes { int other() = 1; }");
    assertEquals(2, RuleList.read(list, List.of(), List.of()).size());
  }
}
