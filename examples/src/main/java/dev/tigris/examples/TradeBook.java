package dev.tigris.examples;

import dev.tigris.memory.Capacity;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Mapping;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoCursor;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.Utf8;
import dev.tigris.memory.schema.Schema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// Keeps trades in a file as objects (pre-serialized objects over a file: Welsh, MS thesis, 1999,
/// section 5). The program reads only what it uses, and writes only by `flush`, which is all or
/// nothing.
///
/// ```sh
/// ./tigris example TradeBook book add ACME 5 12.50
/// ./tigris example TradeBook book
/// ```
public final class TradeBook {
  private static final int CAPACITY = 10_000;
  private static final long FILE_BYTES = 1 << 20;
  private static final int SYMBOL_BYTES = 12;

  /// A trade; in C, a struct of 32 bytes (`tigris layout`).
  public static final class Entry extends Pso {
    /// The pieces that were bought, or sold if negative.
    public int quantity;

    /// The symbol of the security.
    @Capacity(SYMBOL_BYTES)
    public Utf8 symbol;

    /// The price of a piece.
    public double price;

    /// A new entry in a container.
    @SuppressWarnings("NullAway") // what lies in place is always there
    public Entry(Container container) {
      super(container);
    }
  }

  private final Jbuf file;
  private final PsoTable<Entry> entries;

  private TradeBook(Jbuf file) {
    this.file = file;
    Container container = file.asContainer();
    PsoTable<Entry> known = container.rootTable(Entry.class);
    if (known == null) {
      known = new PsoTable<>(container, Entry.class, CAPACITY);
      container.root(known);
    }
    this.entries = known;
  }

  /// Opens a book, or makes a new one. Converts a file of an earlier version of [Entry], and checks
  /// bytes from elsewhere before they are used.
  public static TradeBook open(Path path) throws IOException {
    Schema schema = Schema.ofTable(Entry.class);
    Jbuf file = Jbuf.map(path, Mapping.DURABLE, FILE_BYTES, schema);
    schema.validate(file.asContainer());
    return new TradeBook(file);
  }

  /// Adds a trade. When this returns, the trade is on the disk. A crash before leaves the book
  /// unchanged.
  ///
  /// @throws IllegalArgumentException if the symbol takes more than 12 bytes
  public void add(String symbol, int quantity, double price) throws IOException {
    // Before there is an entry: that could not be taken back, and would be in the next flush.
    if (symbol.getBytes(StandardCharsets.UTF_8).length > SYMBOL_BYTES) {
      throw new IllegalArgumentException(
          "the symbol '%s' has more than 12 bytes: shorten it".formatted(symbol));
    }
    Entry entry = entries.add();
    entry.symbol.set(symbol);
    entry.quantity = quantity;
    entry.price = price;
    file.flush();
  }

  /// Adds up the value of all trades of a symbol. Makes no strings, and once it is compiled no
  /// objects.
  public double worth(String symbol) {
    double worth = 0;
    for (PsoCursor<Entry> cursor = entries.cursor(); cursor.next(); ) {
      Entry entry = cursor.element();
      if (entry.symbol.contentEquals(symbol)) {
        worth += entry.quantity * entry.price;
      }
    }
    return worth;
  }

  /// The number of trades.
  public long size() {
    return entries.size();
  }

  /// Adds a trade, or lists them all.
  public static void main(String[] arguments) throws IOException {
    boolean adds = arguments.length == 5 && arguments[1].equals("add");
    if (arguments.length != 1 && !adds) {
      System.err.println("usage: TradeBook FILE [add SYMBOL QUANTITY PRICE]");
      return;
    }
    TradeBook book = open(Path.of(arguments[0]));
    if (adds) {
      book.add(arguments[2], Integer.parseInt(arguments[3]), Double.parseDouble(arguments[4]));
    }
    for (PsoCursor<Entry> cursor = book.entries.cursor(); cursor.next(); ) {
      Entry entry = cursor.element();
      System.out.printf("%-12s %8d %12.2f%n", entry.symbol, entry.quantity, entry.price);
    }
  }
}
