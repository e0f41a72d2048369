package dev.tigris.bench.memory;

import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;

/// Four fields of each primitive type. Public, as what works on it is generated.
public final class PsoMixed extends Pso {
  public boolean z0;
  public boolean z1;
  public boolean z2;
  public boolean z3;
  public byte b0;
  public byte b1;
  public byte b2;
  public byte b3;
  public short s0;
  public short s1;
  public short s2;
  public short s3;
  public char c0;
  public char c1;
  public char c2;
  public char c3;
  public int i0;
  public int i1;
  public int i2;
  public int i3;
  public long l0;
  public long l1;
  public long l2;
  public long l3;
  public float f0;
  public float f1;
  public float f2;
  public float f3;
  public double d0;
  public double d1;
  public double d2;
  public double d3;

  /// A new object, all zero.
  public PsoMixed(Container container) {
    super(container);
  }
}
