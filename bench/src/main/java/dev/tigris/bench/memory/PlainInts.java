package dev.tigris.bench.memory;

/// A plain object of sixteen ints, the peer of [PsoInts]. Public, as what works on it is generated.
public final class PlainInts {
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
}
