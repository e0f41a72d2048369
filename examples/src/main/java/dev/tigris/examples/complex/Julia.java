package dev.tigris.examples.complex;

/// A Julia set in plain Java: the input of [ComplexRule], which removes its temporary objects.
public final class Julia {
  private Julia() {}

  /// Counts the steps after which `z := z * z + c` leaves the circle of radius 2, at most `most`.
  public static int steps(Complex z, Complex c, int most) {
    int steps = 0;
    while (steps < most && z.norm() <= 4) {
      z.set(z.times(z).plus(c));
      steps++;
    }
    return steps;
  }

  /// Adds up the steps for all points of a square grid around 0.
  public static long total(int size, Complex c, int most) {
    Complex z = new Complex(0, 0);
    Complex corner = new Complex(-1.5, -1.5);
    long total = 0;
    for (int row = 0; row < size; row++) {
      for (int column = 0; column < size; column++) {
        z.set(corner.plus(new Complex(3.0 * column / size, 3.0 * row / size)));
        total += steps(z, c, most);
      }
    }
    return total;
  }
}
