package dev.tigris.bench;

import java.io.IOException;
import java.util.List;

/// Draws the results that are better seen than read.
final class Plots {
  private Plots() {}

  static void draw(List<Results.Sheet> sheets, Results results) throws IOException {}
}
