package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.specializer.ClassFiles;
import dev.tigris.specializer.ClassHierarchy;
import dev.tigris.specializer.ClassPath;
import dev.tigris.specializer.Problem;
import dev.tigris.specializer.Rule;
import dev.tigris.specializer.Specializer;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What cannot be stored is refused as it is built, and by this module as it is loaded: each of the
/// two without the other, from class files and by reflection.
class RefusedAlikeTest {
  private static final String CLASSES =
      """
      import dev.tigris.memory.*;
      public class Classes {
        enum Fine { A, B }
        enum Alike { B, Aa, C, BB }
        enum Zero { A, f5a5a608 }
        static class Point extends Pso {
          long x;
          byte tag;
          @HeapOnly @InPlace Subject note;
          @InPlace static Subject origin;
          Point(Container container) { super(container); }
        }
        static class Generic<T> extends Pso {
          Generic<T> next;
          Generic(Container container) { super(container); }
          class Inner extends Pso {
            int y;
            Inner(Container container) { super(container); }
          }
        }
        abstract static class Vague<T> extends Pso {
          Vague(Container container) { super(container); }
        }
        static class Base extends Pso {
          short number;
          @InPlace Point in;
          Base(Container container) { super(container); }
        }
        static class Through extends Pso {
          @InPlace Subject subject;
          Through(Container container) { super(container); }
        }
        static class Bare extends Pso {
          Bare(Container container) { super(container); }
        }
        static class Behind extends Pso {
          @InPlace Bare bare;
          Behind(Container container) { super(container); }
        }
        static class Wide extends Bare {
          @InPlace Behind behind;
          @Capacity(WIDTH) Bytes bytes;
          Wide(Container container) { super(container); }
        }
        static class Sub extends Subject {
          Sub(Container container) { super(container); }
        }
        static class Subject extends Base {
          int first;
          FIELD field;
          Subject(Container container) { super(container); }
        }
      }
      """;

  @TempDir private Path folder;

  /// What the build says of the class `Subject` with a field, without where it is.
  private List<String> saidAtBuild() throws Exception {
    try (ClassPath path = new ClassPath(List.of(folder, Outside.MEMORY))) {
      var specializer = new Specializer(new ClassHierarchy(path), Rule.standard());
      return ClassFiles.preview(List.of(folder), specializer, (_, _) -> {}).problems().stream()
          .filter(problem -> problem.toString().startsWith("Classes$Subject.field(Classes.java)"))
          .map(Problem::message)
          .toList();
    }
  }

  /// What is said of the class as it was loaded: of its layout, and of the enum that it stores.
  private Optional<String> saidAtRunTime() throws Exception {
    try (var loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      var type = loader.loadClass("Classes$Subject").asSubclass(Pso.class);
      for (PsoField field : PsoLayout.of(type).fields()) {
        if (field.kind() instanceof FieldKind.Constant(Class<? extends Enum<?>> constants)) {
          EnumCodes.of(constants);
        }
      }
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private void compile(String field) throws Exception {
    compile(field, 1);
  }

  private void compile(String field, int width) throws Exception {
    String source = CLASSES.replace("FIELD", field).replace("WIDTH", String.valueOf(width));
    Outside.compile(folder, "Classes", source);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Alike",
        "Zero",
        "@InPlace Subject",
        "@InPlace Through",
        "@InPlace Sub",
        "@Capacity(1000000) Doubles",
      })
  void refusesInTheSameWords(String field) throws Exception {
    compile(field);
    Optional<String> atRunTime = saidAtRunTime();
    assertEquals(Optional.of(saidAtBuild()), atRunTime.map(List::of));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PsoTable<PsoArray>",
        "PsoList<PsoTable<Point>>",
        "PsoList<Vague<String>>",
        "PsoList<? extends Generic<String>>",
        "@InPlace int",
        "@InPlace Fine",
      })
  void refusesWhatHasNoSuchDeclaration(String field) throws Exception {
    compile(field);
    assertTrue(saidAtRunTime().isPresent());
    assertEquals(1, saidAtBuild().size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Fine",
        "Subject",
        "PsoList<PsoArray>",
        "PsoList<Generic<String>>",
        "PsoTable<Generic<?>>",
        "PsoList<Generic<String>.Inner>",
        "@InPlace Point",
        "@HeapOnly Alike",
      })
  void acceptsWhatCanBeStored(String field) throws Exception {
    compile(field);
    assertEquals(Optional.empty(), saidAtRunTime());
    assertEquals(List.of(), saidAtBuild());
  }

  /// Behind the number and the point of the superclass, and an int.
  private static int capacity(int elementBytes, int headBytes) {
    int start = (8 + 16 + 4 + elementBytes - 1) / elementBytes * elementBytes;
    return (PsoLayout.MAX_BYTES - start - headBytes) / elementBytes;
  }

  private void isTheLargest(String view, int capacity) throws Exception {
    compile("@Capacity(%d) %s".formatted(capacity, view));
    assertEquals(Optional.empty(), saidAtRunTime());
    assertEquals(List.of(), saidAtBuild());
    refusesInTheSameWords("@Capacity(%d) %s".formatted(capacity + 1, view));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "BOOLEAN")
  void refusesArraysByOneElementTooLong(Primitive element) throws Exception {
    isTheLargest(View.of(element).getSimpleName(), capacity(element.sizeBytes(), 0));
  }

  /// What begins with an object of its superclass begins with eight bytes of nothing.
  @Test
  void refusesObjectsInPlaceByOneByteTooLong() throws Exception {
    int width = (capacity(Long.BYTES, 0) - 2) * Long.BYTES;
    compile("@InPlace Wide", width);
    assertEquals(Optional.empty(), saidAtRunTime());
    assertEquals(List.of(), saidAtBuild());
    compile("@InPlace Wide", width + 1);
    Optional<String> atRunTime = saidAtRunTime();
    assertTrue(atRunTime.isPresent());
    assertEquals(Optional.of(saidAtBuild()), atRunTime.map(List::of));
  }

  @Test
  void refusesTextsByOneByteTooLong() throws Exception {
    isTheLargest("Utf8", capacity(1, Integer.BYTES));
  }
}
