package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.util.List;
import org.junit.jupiter.api.Test;

class PsoTextRuleTest extends InWorkshop {
  @Test
  void putsCallSitesInThePlaceOfATextsMethods() throws IOException {
    shop.javac.compile(
        "package app; import dev.tigris.memory.*; class Note extends Pso {"
            + " @Capacity(8) Utf8 text; Note(Container c) { super(c); } }",
        """
        package app;
        import dev.tigris.memory.*;
        class User {
          static Object others(Note note, java.util.List<Comparable<Object>> list) {
            java.util.function.IntSupplier length = note.text::lengthBytes;
            return list.get(0).compareTo(note.text) == 0 ? length : note.text.getClass();
          }
          static boolean use(Note note, Utf8 other) {
            return note.text.lengthBytes() == 3 && other.contentEquals(note.text.toString());
          }
        }
        """);
    byte[] user = shop.specialize("app/User").bytes();
    assertEquals(
        List.of(
            "get(Note)Utf8 text",
            "lengthBytes(Utf8)int",
            "get(Note)Utf8 text",
            "toString(Utf8)String",
            "contentEquals(Utf8,CharSequence)boolean"),
        Workshop.accesses(user, "use"));
    assertEquals(
        List.of("get(Note)Utf8 text", "get(Note)Utf8 text", "get(Note)Utf8 text"),
        Workshop.accesses(user, "others"));
    assertEquals(List.of(), ClassFile.of().verify(user).stream().toList());
  }

  @Test
  void leavesCallsAsTheyAreWhereACallSiteCannotStandOrGainsNothing() throws IOException {
    String add = "sum += 1000000007L * sum + 998244353L * sum;";
    shop.javac.compile(
        "package app; import dev.tigris.memory.*; class User {"
            + " static int use(Utf8 text) { return text.lengthBytes(); } }",
        "package app; import dev.tigris.memory.*; class Long {"
            + " static long use(Utf8 text, long sum) { "
            + add.repeat(800)
            + " return sum + text.lengthBytes(); } }");
    byte[] old = shop.bytes("app/User");
    old[7] = ClassFile.JAVA_6_VERSION;
    assertFalse(shop.specializer.specialize(old).changed());
    assertFalse(shop.specialize("app/Long").changed());
    assertFalse(shop.specialize("dev/tigris/memory/Utf8").changed());
    assertEquals(
        List.of("lengthBytes(Utf8)int"),
        Workshop.accesses(shop.specialize("app/User").bytes(), "use"));
  }
}
