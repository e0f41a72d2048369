package dev.tigris.cli.layout;

import dev.tigris.memory.Capacity;
import dev.tigris.memory.Container;
import dev.tigris.memory.HeapOnly;
import dev.tigris.memory.InPlace;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoArray;
import dev.tigris.memory.PsoList;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.Shorts;
import dev.tigris.memory.Utf8;

/// The root of a container that programs in C and Python read and write as well: something of
/// everything that a field can be.
public final class Ledger extends Pso {
  public boolean open;

  @Capacity(5)
  public Utf8 currency; // takes 9 bytes, which no C struct would

  public byte behindCurrency;
  public PsoTable<Trade> trades;
  public PsoList<Trade> best;
  public PsoArray prices;

  public Ledger(Container container) {
    super(container);
  }

  /// What every entry has.
  public static class Entry extends Pso {
    public byte kind;
    public long number;

    public Entry(Container container) {
      super(container);
    }
  }

  /// A subclass, with a field that hides one of its superclass's and names that C keeps for itself.
  public static final class Trade extends Entry {
    public int quantity;
    public double price;
    public float fee;
    public char register;

    @SuppressWarnings("HidingField") // on purpose
    public short kind;

    public Side side;
    public volatile long version;
    public @InPlace Place place;
    public @Capacity(3) Shorts levels;
    public @Capacity(10) Utf8 symbol;
    public Trade next;
    public @HeapOnly String note;

    public Trade(Container container) {
      super(container);
    }
  }

  /// An object that lies in another one.
  public static final class Place extends Pso {
    public int x;
    public long y;

    public Place(Container container) {
      super(container);
    }
  }

  /// Stored by name. The hash code of the last one's is negative.
  public enum Side {
    BUY,
    SELL,
    CANCELLED
  }
}
