package dev.tigris.memory;

import java.util.LinkedHashMap;
import java.util.Map;

/// Uses everything that can be read from a container after that was cleared, and from a slice after
/// that was handed on, and says of each what happened.
final class StaleUses {
  private StaleUses() {}

  static class Part extends Pso {
    int x;

    Part(Container container) {
      super(container);
    }
  }

  static final class Whole extends Pso {
    int number;
    Whole next;
    @InPlace Part part;

    @Capacity(4)
    Utf8 text;

    @Capacity(4)
    Longs array;

    PsoArray numbers;
    PsoList<Part> list;
    PsoTable<Part> table;

    Whole(Container container) {
      super(container);
    }
  }

  private static Whole fill(Container container) {
    Whole whole = new Whole(container);
    container.root(whole);
    whole.number = 1;
    whole.next = new Whole(container);
    whole.text.set("old");
    whole.array.set(0, 1);
    whole.numbers = new PsoArray(container, Primitive.INT, 4);
    whole.list = new PsoList<>(container, Part.class, 4);
    whole.list.add(new Part(container));
    whole.table = new PsoTable<>(container, Part.class, 4);
    whole.table.add().x = 1;
    return whole;
  }

  private static void tryOut(String use, Runnable body) {
    try {
      body.run();
      System.out.println(use + ": passed");
    } catch (RecycledException e) {
      System.out.println(use + ": " + e.getMessage());
    }
  }

  public static void main(String[] args) {
    Bytes whole = Jbuf.allocate(8192).asBytes();
    Bytes slice = whole.slice(4096, 4096);
    Container container = slice.asContainer();
    Map<String, Runnable> uses = usesOf(fill(container));
    uses.forEach((use, body) -> tryOut("fresh " + use, body));
    container.clear();
    Whole second = fill(container);
    uses.forEach((use, body) -> tryOut("stale " + use, body));
    usesOf(second).forEach((use, body) -> tryOut("second " + use, body));
    tryOut("second root", () -> container.root(Whole.class).number++);

    Bytes renewed = slice.renewed();
    tryOut("stale bytes", () -> slice.get(0));
    tryOut("stale bulk", () -> slice.detach());
    tryOut("stale segment", () -> slice.segment());
    tryOut("stale slice", () -> slice.slice(8, 8).get(0));
    tryOut("stale container", () -> container.root(Whole.class));
    tryOut("stale object", () -> second.number++);
    tryOut("renewed bytes", () -> renewed.get(0));
    tryOut("renewed root", () -> renewed.asContainer().root(Whole.class).number++);
    tryOut("whole bytes", () -> whole.renewed().get(0));
    tryOut("owner", () -> System.out.println("owned " + whole.lease.jbuf.owns(renewed)));
  }

  private static Map<String, Runnable> usesOf(Whole object) {
    Part part = object.part;
    Utf8 text = object.text;
    Longs array = object.array;
    PsoArray reference = object.numbers;
    Ints numbers = reference.asInts();
    PsoList<Part> list = object.list;
    PsoTable<Part> table = object.table;
    PsoCursor<Part> cursor = table.cursor();
    cursor.next();
    Map<String, Runnable> uses = new LinkedHashMap<>();
    uses.put("get", () -> System.identityHashCode(object.number));
    uses.put("set", () -> object.number = 2);
    uses.put("reference", () -> object.next.number++);
    uses.put("part", () -> part.x++);
    uses.put("text", () -> text.set("new"));
    uses.put("array", () -> array.set(1, 2));
    uses.put("numbers", () -> numbers.get(3));
    uses.put("length", () -> reference.length());
    uses.put("element", () -> reference.element());
    uses.put("view", () -> reference.asInts());
    uses.put("list", () -> list.get(0));
    uses.put("list capacity", () -> list.capacity());
    uses.put("table", () -> table.get(0));
    uses.put("table capacity", () -> table.capacity());
    uses.put("cursor", () -> cursor.element().x++);
    return uses;
  }
}
