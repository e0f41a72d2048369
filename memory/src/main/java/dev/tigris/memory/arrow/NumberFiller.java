package dev.tigris.memory.arrow;

import java.io.IOException;

/// Fills a number, a boolean or a character.
final class NumberFiller extends Filler {
  private final Numbers numbers;

  NumberFiller(Cell cell, SourceColumn source, boolean nullsAreZero, Numbers numbers) {
    super(cell, source.want(), nullsAreZero);
    this.numbers = numbers;
  }

  @Override
  void fill(Part part) throws IOException {
    Cells cells = source.cells(part.from(), part.count());
    byte[] absent = absent(part, cells.isNull());
    numbers.store(
        cells.fixed(), absent, part.rows(), cell.offset(), part.strideBytes(), part.count());
  }
}
