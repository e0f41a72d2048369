package dev.tigris.examples.complex;

/// A complex number whose operators each make a new object, unless [ComplexRule] has rewritten the
/// call.
public final class Complex {
  private double re;
  private double im;

  /// The number `re + im * i`.
  public Complex(double re, double im) {
    this.re = re;
    this.im = im;
  }

  /// The real part.
  public double re() {
    return re;
  }

  /// The imaginary part.
  public double im() {
    return im;
  }

  /// The square of the distance from 0.
  public double norm() {
    return re * re + im * im;
  }

  /// Takes on another value.
  public void set(Complex value) {
    set(value.re, value.im);
  }

  /// Takes on another value.
  public void set(double newRe, double newIm) {
    re = newRe;
    im = newIm;
  }

  /// The sum.
  public Complex plus(Complex other) {
    return new Complex(re + other.re, im + other.im);
  }

  /// The difference.
  public Complex minus(Complex other) {
    return new Complex(re - other.re, im - other.im);
  }

  /// The product.
  public Complex times(Complex other) {
    return new Complex(re * other.re - im * other.im, re * other.im + im * other.re);
  }
}
