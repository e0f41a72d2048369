package dev.tigris.bench.memory;

/// A plain object of sixteen ints, the peer of [PsoInts]. Public, as what works on it is generated.
public final class PlainInts implements Sixteen {
  public int f0;
  public int f1;
  public int f2;
  public int f3;
  public int f4;
  public int f5;
  public int f6;
  public int f7;
  public int f8;
  public int f9;
  public int f10;
  public int f11;
  public int f12;
  public int f13;
  public int f14;
  public int f15;

  @Override
  public int[] values() {
    return new int[] {f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15};
  }

  @Override
  public void values(int[] values) {
    f0 = values[0];
    f1 = values[1];
    f2 = values[2];
    f3 = values[3];
    f4 = values[4];
    f5 = values[5];
    f6 = values[6];
    f7 = values[7];
    f8 = values[8];
    f9 = values[9];
    f10 = values[10];
    f11 = values[11];
    f12 = values[12];
    f13 = values[13];
    f14 = values[14];
    f15 = values[15];
  }
}
