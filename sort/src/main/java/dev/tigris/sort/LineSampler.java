package dev.tigris.sort;

/// Reads some lines from all over the input, to choose splitters from: a few that follow one
/// another at each place, since reading one costs as much as reading a block.
final class LineSampler {
  static final int PER_BUCKET = 32;
  private static final int PLACE_BYTES = 8 << 10;
  private static final int MOST_PLACES = 2048;
  private static final long SAMPLE_BYTES = 8 << 20;

  /// All boundaries together: processes are told them, and a line may be as long as a bucket.
  static final long BOUNDARY_BYTES = 8 << 20;

  private LineSampler() {}

  static LineSplitters sample(LineInputs inputs, LineOrder order, LinePlan plan, Progress progress)
      throws SortException {
    if (plan.buckets() == 1) {
      return LineSplitters.none(order);
    }
    var sample =
        new LineSample(
            plan.buckets() * PER_BUCKET,
            Math.min(SAMPLE_BYTES, 2L * plan.mostBytes()),
            inputs.bytes());
    fill(sample, inputs, order, plan.lineBytes(), progress);
    return LineSplitters.choose(order, sample.lines(), plan.buckets(), BOUNDARY_BYTES);
  }

  /// Offers lines to a sample.
  ///
  /// @param lineBytes how long a line may be
  static void fill(
      LineSample sample, LineInputs inputs, LineOrder order, int lineBytes, Progress progress)
      throws SortException {
    long places = Math.min(MOST_PLACES, inputs.parts());
    try (var reader = new LineReader(order.rows(), PLACE_BYTES, lineBytes)) {
      for (long place = 0; place < places; place++) {
        reader.read(beginning(inputs.part(inputs.parts() * place / places)));
        reader.forEach(sample::offer);
        progress.report(Progress.Phase.SAMPLE, place + 1, places);
      }
    }
  }

  private static LinePart beginning(LinePart part) {
    long to = Math.min(part.to(), part.from() + PLACE_BYTES);
    return new LinePart(
        part.file(), part.from(), to, part.number(), part.isFirst(), part.insideFrom());
  }
}
