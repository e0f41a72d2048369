package dev.tigris.cli.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.cli.layout.Ledger.Place;
import dev.tigris.cli.layout.Ledger.Side;
import dev.tigris.cli.layout.Ledger.Trade;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Mapping;
import dev.tigris.memory.Primitive;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoArray;
import dev.tigris.memory.PsoList;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.schema.Schema;
import dev.tigris.testing.process.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Java, C and Python map one file and write to the container in it, each with the types that
/// `tigris layout` prints for it.
class InteropTest {
  private static final int TRADES = 100;
  private static final int BYTES = 1 << 16;

  @TempDir Path folder;

  private record Outcome(int exit, String output) {}

  private Outcome run(String... words) {
    try {
      var outcome = Command.of(words).in(folder).run();
      return new Outcome(outcome.exitCode(), outcome.output());
    } catch (UncheckedIOException e) {
      return new Outcome(127, String.valueOf(e.getMessage()));
    }
  }

  private void succeed(String... words) {
    Outcome outcome = run(words);
    assertEquals(0, outcome.exit(), outcome.output());
  }

  private static StoredTypes types() throws Exception {
    return StoredTypes.load(List.of(Ledger.class.getName()), List.of());
  }

  private void resource(String name, String as) throws IOException {
    try (var source = InteropTest.class.getResourceAsStream("/interop/" + name)) {
      Files.copy(Objects.requireNonNull(source, name), folder.resolve(as));
    }
  }

  @Test
  void javaAndCAndPythonShareAContainer() throws Exception {
    assumeTrue(
        run("gcc", "--version").exit() == 0, "skipped: there is no gcc (apt: gcc libc6-dev)");
    Path file = folder.resolve("ledger");
    fill(container(file));

    Files.writeString(folder.resolve("ledger.h"), CHeader.of(types()));
    resource("ledger.c", "ledger.c");
    succeed(
        "gcc",
        "-std=gnu11",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Werror",
        "-o",
        "program",
        "ledger.c");
    succeed("./program", file.toString());
    checkWhatCWrote(container(file));

    String python = pythonWithNumpy();
    assumeTrue(!python.isEmpty(), "half skipped: there is no NumPy (apt: python3-numpy)");
    Files.writeString(folder.resolve("ledger.py"), NumpyTypes.of(types()));
    resource("ledger.py", "program.py");
    succeed(python, "program.py", file.toString());
    checkWhatPythonWrote(container(file));
  }

  @Test
  void theHeaderIsGoodCPlusPlusToo() throws Exception {
    assumeTrue(run("g++", "--version").exit() == 0, "skipped: there is no g++ (apt: g++)");
    Files.writeString(folder.resolve("ledger.h"), CHeader.of(types()));
    Files.writeString(folder.resolve("twice.h"), CHeader.of(types()));
    Files.writeString(folder.resolve("a.cc"), "#include \"ledger.h\"\n#include \"twice.h\"\n");
    succeed("g++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "a.cc");
  }

  /// Two classes that a program would have under one name, each in a header of its own.
  static final class Clash {
    private Clash() {}

    static final class A_B extends Pso {
      int x;

      A_B(Container container) {
        super(container);
      }
    }

    static final class A {
      private A() {}

      static final class B extends Pso {
        int y;

        B(Container container) {
          super(container);
        }
      }
    }
  }

  @Test
  void noProgramTakesOneClassForAnotherOfTheSameName() throws Exception {
    assumeTrue(
        run("gcc", "--version").exit() == 0, "skipped: there is no gcc (apt: gcc libc6-dev)");
    for (Class<?> type : List.of(Clash.A_B.class, Clash.A.B.class)) {
      Files.writeString(
          folder.resolve(type.getSimpleName() + ".h"),
          CHeader.of(StoredTypes.load(List.of(type.getName()), List.of())));
    }
    Files.writeString(folder.resolve("both.c"), "#include \"A_B.h\"\n#include \"B.h\"\n");
    Outcome outcome = run("gcc", "-std=c11", "-fsyntax-only", "both.c");
    assertEquals(1, outcome.exit());
    assertTrue(outcome.output().contains("another header has another"), outcome.output());
  }

  /// The first Python of the path, which may be a user's own, and then the system's.
  private String pythonWithNumpy() throws IOException, InterruptedException {
    for (String python : Stream.of("python3", "/usr/bin/python3").toList()) {
      if (run(python, "-c", "import numpy").exit() == 0) {
        return python;
      }
    }
    return "";
  }

  private static void fill(Container container) {
    container.declare(Schema.of(Ledger.class));
    Ledger ledger = new Ledger(container);
    container.root(ledger);
    ledger.open = true;
    ledger.currency.set("EUR");
    ledger.behindCurrency = -1;
    PsoTable<Trade> trades = new PsoTable<>(container, Trade.class, TRADES);
    ledger.trades = trades;
    ledger.best = new PsoList<>(container, Trade.class, 2);
    ledger.prices = new PsoArray(container, Primitive.DOUBLE, 4);
    Trade last = null;
    for (int i = 0; i < TRADES; i++) {
      Trade trade = trades.add();
      ((Ledger.Entry) trade).kind = (byte) (i % 128);
      trade.number = 10_000_000_000L * i;
      trade.quantity = 3 * i;
      trade.price = i / 4.0;
      trade.fee = 0.5f * i;
      trade.register = '€';
      trade.kind = (short) -i;
      trade.side = i % 3 == 0 ? Side.BUY : i % 3 == 1 ? Side.CANCELLED : null;
      trade.version = 7;
      Place place = trade.place;
      place.x = i;
      place.y = -i;
      trade.levels.set(0, (short) i);
      trade.levels.set(1, (short) -i);
      trade.levels.set(2, (short) (2 * i));
      trade.symbol.set("Jä" + i);
      if (last != null) {
        last.next = trade;
      }
      last = trade;
    }
    for (int i = 0; i < 4; i++) {
      ledger.prices.asDoubles().set(i, i / 2.0);
    }
  }

  private static void checkWhatCWrote(Container container) {
    Ledger ledger = container.root(Ledger.class);
    for (int i = 0; i < TRADES; i++) {
      Trade trade = ledger.trades.get(i);
      assertEquals(1000 + 3 * i, trade.quantity);
      assertEquals(Side.SELL, trade.side);
      assertEquals("C" + i, trade.symbol.toString());
      assertEquals(i / 4.0, trade.price);
    }
    assertEquals(99.5, ledger.prices.asDoubles().get(0));
    Trade added = ledger.best.get(0);
    assertEquals(1, ledger.best.size());
    assertEquals(4711, added.number);
    assertEquals(1000, added.next.quantity);
    // What C allocated is allocated for Java too.
    new Trade(container).number = 5;
    assertEquals(4711, added.number);
  }

  private static void checkWhatPythonWrote(Container container) {
    Ledger ledger = container.root(Ledger.class);
    for (int i = 0; i < TRADES; i++) {
      Trade trade = ledger.trades.get(i);
      assertEquals(1001 + 3 * i, trade.quantity);
      assertEquals(i < 50 ? Side.SELL : Side.CANCELLED, trade.side);
      assertEquals("P", trade.symbol.toString());
      assertNull(trade.next);
    }
    assertEquals(2.0, ledger.prices.asDoubles().get(2));
  }

  /// Mapped anew each time: an open container does not look at the header again.
  private static Container container(Path file) throws IOException {
    return Jbuf.map(file, Mapping.SHARED, BYTES).asContainer();
  }
}
