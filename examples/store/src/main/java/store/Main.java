package store;

import dev.tigris.memory.ConversionOption;
import dev.tigris.memory.PsoCursor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The command line of the store; the README says how to use it.
public final class Main {
  private static final String USAGE =
      """
      load FILE COUNT [EVERY]   add sample orders up to this number of them; flush after every EVERY
      check FILE                look at all orders, and for each of them by its number
      find FILE NUMBER...       print orders
      pay FILE NUMBER           change an order
      lookups FILE COUNT        time look-ups
      downgrade FILE            give up what only a newer class of orders has""";

  private Main() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length < 2) {
      System.err.println(USAGE);
      System.exit(2);
    }
    Path file = Path.of(arguments[1]);
    long number = arguments.length > 2 ? Long.parseLong(arguments[2]) : 0;
    switch (arguments[0]) {
      case "load" ->
          load(file, number, arguments.length > 3 ? Long.parseLong(arguments[3]) : number);
      case "check" -> check(file);
      case "find" -> find(file, arguments);
      case "pay" -> pay(file, number);
      case "lookups" -> lookups(file, number);
      case "downgrade" -> Store.open(file, 0, ConversionOption.ALLOW_LOSS).close();
      default -> System.err.println(USAGE);
    }
  }

  private static void load(Path file, long count, long every) throws IOException {
    long start = System.nanoTime();
    try (Store store = Store.open(file, count)) {
      for (long i = store.size(); i < count; i++) {
        Sample sample = Sample.of(i);
        Order order = store.add(sample.number());
        order.customer = sample.customer();
        order.cents = sample.cents();
        order.product.set(sample.product());
        if ((i + 1) % every == 0) {
          store.flush();
          System.out.println("flushed " + (i + 1));
        }
      }
      store.flush();
    }
    System.out.printf(
        "loaded in %.1f s, %d MB%n",
        (System.nanoTime() - start) / 1e9, Files.size(file) / 1_000_000);
  }

  private static void check(Path file) throws IOException {
    try (Store store = Store.open(file, 0)) {
      long cents = 0;
      long row = 0;
      for (PsoCursor<Order> all = store.all(); all.next(); row++) {
        Order order = all.element();
        cents += order.cents;
        Order found = store.find(order.number);
        if (found == null || found.number != Sample.numberOf(row)) {
          throw new IllegalStateException("order %d is not found".formatted(order.number));
        }
      }
      System.out.println(row + " orders, " + cents + " cents");
    }
  }

  private static void find(Path file, String... arguments) throws IOException {
    try (Store store = Store.open(file, 0)) {
      for (int i = 2; i < arguments.length; i++) {
        Order order = store.find(Long.parseLong(arguments[i]));
        System.out.println(order == null ? "no order " + arguments[i] : order.toString());
      }
    }
  }

  private static void pay(Path file, long number) throws IOException {
    try (Store store = Store.open(file, 0)) {
      Order order = store.find(number);
      if (order == null) {
        throw new IllegalArgumentException("there is no order " + number);
      }
      order.paid = true;
      store.flush();
    }
  }

  private static void lookups(Path file, long count) throws IOException {
    try (Store store = Store.open(file, 0)) {
      long orders = store.size();
      for (int round = 0; round < 3; round++) {
        long start = System.nanoTime();
        long cents = 0;
        for (long i = 0; i < count; i++) {
          cents += store.find(Sample.anyNumber(i, orders)).cents;
        }
        long nanos = System.nanoTime() - start;
        System.out.printf("%d ns a look-up (%d cents)%n", nanos / count, cents);
      }
    }
  }
}
