package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.process.Jvm;
import dev.tigris.testing.process.Outcome;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Code that was compiled against a class of objects that was specialized, and was not itself: a
/// unit test whose build has one goal only, or what an IDE has compiled.
class ForgottenAccessTest {
  private static final String ENTRY =
      """
      package app;
      import dev.tigris.memory.*;
      public class Entry extends Pso {
        public int quantity;
        @HeapOnly public String note;
        public Entry(Container container) { super(container); }
        public static Entry made() {
          return new Entry(Jbuf.allocate(4096).asContainer());
        }
        public int quantity() { return quantity; }
      }
      """;

  /// The entry is made by code that was specialized, and used by code that was not.
  private static final String USER =
      """
      package app;
      public class User {
        public static void main(String[] arguments) {
          Entry entry = Entry.made();
          entry.quantity = 5;
          System.out.println(entry.quantity);
        }
      }
      """;

  private static final String CAREFUL =
      """
      package app;
      public class Careful {
        public static void main(String[] arguments) {
          Entry entry = Entry.made();
          entry.note = "it needs no container";
          System.out.println(entry.quantity());
        }
      }
      """;

  @TempDir private Path folder;
  private Path classes;

  @BeforeEach
  void specializeTheObjectsAlone() throws IOException {
    classes = folder.resolve("classes");
    List<String> words =
        new ArrayList<>(List.of("-cp", Shell.memoryPath(), "-d", classes.toString()));
    for (var source :
        List.of(List.of("Entry", ENTRY), List.of("User", USER), List.of("Careful", CAREFUL))) {
      Path file = folder.resolve(source.getFirst() + ".java");
      words.add(Files.writeString(file, source.getLast()).toString());
    }
    assertEquals("", Document.compile(words));
    Shell.Result done = new Shell(folder).run("specialize @/classes/app/Entry.class");
    assertEquals(ExitCode.OK, done.code(), done.err());
  }

  private Outcome run(String main) {
    String path = classes + File.pathSeparator + Shell.memoryPath();
    return Jvm.onClassPath(main, path).quick().command().run();
  }

  @Test
  void saysWhatToAdd() {
    String printed = run("app.User").expect(1).output();
    assertTrue(printed.contains("UnspecializedClassException: app.User accesses"), printed);
    assertTrue(printed.contains("fields of app.Entry, such as 'quantity'"), printed);
    assertTrue(printed.contains("'test-specialize'"), printed);
    Shell.Result done = new Shell(folder).run("specialize @/classes");
    assertEquals(ExitCode.OK, done.code(), done.err());
    assertEquals("5\n", run("app.User").orThrow());
  }

  @Test
  void leavesCodeAloneThatAccessesNoStoredField() {
    assertEquals("0\n", run("app.Careful").orThrow());
  }
}
