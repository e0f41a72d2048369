package dev.tigris.flow;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// A count that one thread advances and another reads, in cache lines of its own, as the fields of
/// [SenderSide] are. The advancing thread does not read it, but keeps a copy: the line is often
/// with the other processor.
///
/// What a thread did before [#advanceTo] happens before what another does after a [#get] that has
/// seen it. [MemoryStream] names the tests.
///
/// Thread rule: as the methods say.
final class SharedCount {
  private static final VarHandle COUNT;

  static {
    try {
      COUNT = MethodHandles.lookup().findVarHandle(SharedCount.class, "count", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  long before0, before1, before2, before3, before4, before5, before6, before7;
  long before8, before9, before10, before11, before12, before13, before14, before15;

  @SuppressWarnings("UnusedVariable") // read and written by COUNT
  private long count;

  long after0, after1, after2, after3, after4, after5, after6, after7;
  long after8, after9, after10, after11, after12, after13, after14, after15;

  /// Advances the count, by a release store. Only the one thread that advances it calls this.
  void advanceTo(long higher) {
    COUNT.setRelease(this, higher);
  }

  /// Returns the count, by an acquire load. Any thread may call this.
  long get() {
    return (long) COUNT.getAcquire(this);
  }
}
