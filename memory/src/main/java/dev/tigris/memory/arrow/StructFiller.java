package dev.tigris.memory.arrow;

import java.io.IOException;
import java.util.List;

/// Fills an object in place. Where the whole is null, it stays zero.
final class StructFiller extends Filler {
  private final List<Filler> fillers;

  StructFiller(Cell cell, SourceColumn source, boolean nullsAreZero, List<Filler> fillers) {
    super(cell, source.want(), nullsAreZero);
    this.fillers = fillers;
  }

  @Override
  void fill(Part part) throws IOException {
    byte[] absent = absent(part, source.nulls(part.from(), part.count()));
    Part inner =
        new Part(part.rows(), part.strideBytes(), part.count(), part.from(), part.number(), absent);
    for (Filler filler : fillers) {
      filler.source.requireRows(source.rows());
      filler.fill(inner);
    }
  }
}
