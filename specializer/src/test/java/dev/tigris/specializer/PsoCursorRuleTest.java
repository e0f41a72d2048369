package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

class PsoCursorRuleTest extends InWorkshop {
  @Test
  void tellsACursorWhichClassOfObjectsIsExpected() throws IOException {
    shop.javac.compile(
        Workshop.TRADE,
        """
        package app;
        import dev.tigris.memory.*;
        class User {
          static long sum(PsoCursor<Trade> trades) {
            long sum = 0;
            while (trades.next()) {
              sum += trades.element().id;
            }
            return sum;
          }
          static <T extends Pso> T any(PsoCursor<T> cursor) { return cursor.element(); }
        }
        """);
    byte[] user = shop.specialize("app/User").bytes();
    assertEquals(
        List.of("element(PsoCursor)Pso " + ClassDesc.of("app.Trade"), "get(Trade)long id"),
        Workshop.accesses(user, "sum"));
    assertEquals(List.of(), Workshop.accesses(user, "any"));
    assertEquals(List.of(), ClassFile.of().verify(user).stream().toList());
  }

  @Test
  void tellsACollectionWhichClassOfObjectsIsExpected() throws IOException {
    shop.javac.compile(
        Workshop.TRADE,
        """
        package dev.tigris.memory;
        public abstract class PsoCollection<T extends Pso> extends Pso {
          PsoCollection() { super((Container) null); }
          public T get(long index) { return null; }
        }
        """,
        "package dev.tigris.memory; public class PsoList<T extends Pso> extends PsoCollection<T> {}",
        "package dev.tigris.memory; public class PsoTable<T extends Pso> extends PsoCollection<T> {}",
        """
        package app;
        import dev.tigris.memory.*;
        class User {
          static Trade of(PsoList<Trade> trades) { return trades.get(1); }
          static Trade of(PsoTable<Trade> trades) { return trades.get(1); }
          static Trade of(PsoCollection<Trade> trades) { return trades.get(1); }
          static <T extends Pso> T any(PsoList<T> list) { return list.get(1); }
        }
        """);
    byte[] user = shop.specialize("app/User").bytes();
    assertEquals(
        List.of("PsoList", "PsoTable", "PsoCollection").stream()
            .map(of -> "element(%s,long)Pso %s".formatted(of, ClassDesc.of("app.Trade")))
            .toList(),
        Workshop.accesses(user, "of"));
    assertEquals(List.of(), Workshop.accesses(user, "any"));
    assertEquals(List.of(), ClassFile.of().verify(user).stream().toList());
  }

  @Test
  void leavesACursorAsItIsWhereACallSiteCannotStand() throws IOException {
    String use = "static Trade first(PsoCursor<Trade> trades) { return trades.element(); }";
    String add = "sum += 1000000007L * sum + 998244353L * sum;";
    shop.javac.compile(
        Workshop.TRADE,
        "package app; import dev.tigris.memory.*; class User { " + use + " }",
        "package app; import dev.tigris.memory.*; class Long { static Trade first(PsoCursor<Trade>"
            + " trades, long sum) { "
            + add.repeat(800)
            + " return sum == 0 ? null : trades.element(); } }");
    byte[] old = shop.bytes("app/User");
    old[7] = ClassFile.JAVA_6_VERSION;
    assertEquals(List.of(), Workshop.accesses(shop.specializer.specialize(old).bytes(), "first"));
    assertEquals(List.of(), Workshop.accesses(shop.specialize("app/Long").bytes(), "first"));
    // What is expected need not be found.
    Files.delete(shop.javac.folder().resolve("app/Trade.class"));
    Specialized user = shop.specialize("app/User");
    assertEquals(1, Workshop.accesses(user.bytes(), "first").size());
  }
}
