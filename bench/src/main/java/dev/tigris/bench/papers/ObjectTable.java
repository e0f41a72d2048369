package dev.tigris.bench.papers;

import java.util.Locale;

/// The rows of the papers' tables of pre-serialized objects, which are the same in Welsh's thesis
/// (figure 8) and in his paper on Jaguar (figure 5), with their times in microseconds.
enum ObjectTable {
  CREATE(9.24, 3.5, 4.2),
  RECOVER(8.9, 3.3, 3.1),
  FOLLOW(0.305, 0.16, 0.29),
  ASSIGN(0.033, 0.014, 0.035),
  WRITE(0.053, 0.022, 0.057),
  READ(0.049, 0.014, 0.049);

  /// With the prototype compiler of the thesis.
  final double thesisMicros;

  /// With the static compiler.
  final double gcjMicros;

  /// With the just-in-time compiler.
  final double openJitMicros;

  ObjectTable(double thesisMicros, double gcjMicros, double openJitMicros) {
    this.thesisMicros = thesisMicros;
    this.gcjMicros = gcjMicros;
    this.openJitMicros = openJitMicros;
  }

  String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
