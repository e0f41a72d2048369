package dev.tigris.bench.objects;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/// The peer of [Item]: what serialization libraries are given. Public, with public fields and a
/// public constructor, which is what each of them handles fastest.
public final class PlainItem implements Serializable {
  private static final long serialVersionUID = 1;

  public byte b0;
  public byte b1;
  public byte b2;
  public byte b3;
  public int i0;
  public int i1;
  public int i2;
  public int i3;
  public @Nullable PlainItem next;

  /// Makes an object with default values; the libraries and the bench call this.
  public PlainItem() {}

  void fill(int seed) {
    b0 = (byte) seed;
    b1 = (byte) (seed + 1);
    b2 = (byte) (seed + 2);
    b3 = (byte) (seed + 3);
    i0 = seed;
    i1 = 2 * seed;
    i2 = 3 * seed;
    i3 = 4 * seed;
  }

  long sum() {
    return (long) b0 + b1 + b2 + b3 + i0 + i1 + i2 + i3;
  }
}
