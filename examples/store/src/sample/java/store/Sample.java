package store;

/// The orders that each store is filled with: order `i` is the same in all of them.
public record Sample(long number, long customer, int cents, String product) {
  private static final long FIRST = 10_000_000_000L;
  private static final int CUSTOMERS = 1_000_000;
  private static final int MOST_CENTS = 100_000;
  private static final String[] PRODUCTS = new String[500];

  static {
    for (int i = 0; i < PRODUCTS.length; i++) {
      PRODUCTS[i] = "P-" + i;
    }
  }

  public static Sample of(long i) {
    long random = mix(i);
    return new Sample(
        numberOf(i),
        Long.remainderUnsigned(random, CUSTOMERS),
        (int) Long.remainderUnsigned(random >>> 20, MOST_CENTS),
        PRODUCTS[(int) Long.remainderUnsigned(random >>> 40, PRODUCTS.length)]);
  }

  /// Numbers have gaps, and none is given twice.
  public static long numberOf(long i) {
    return FIRST + 7 * i;
  }

  /// The `i`-th of some orders to look for, in no order.
  public static long anyNumber(long i, long orders) {
    return numberOf(Long.remainderUnsigned(mix(~i), orders));
  }

  /// The finalizer of splitmix64.
  static long mix(long value) {
    long z = value + 0x9e3779b97f4a7c15L;
    z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }
}
