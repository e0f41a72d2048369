package dev.tigris.sort;

/// Reads some lines from all over the input, to choose splitters from: a few that follow one
/// another at each place, since reading one costs as much as reading a block.
final class LineSampler {
  private static final int PER_BUCKET = 32;
  private static final int PLACE_BYTES = 8 << 10;
  private static final int MOST_PLACES = 2048;
  private static final long SAMPLE_BYTES = 8 << 20;

  private LineSampler() {}

  static LineSplitters sample(LineInputs inputs, LineOrder order, LinePlan plan, Progress progress)
      throws SortException {
    if (plan.buckets() == 1) {
      return LineSplitters.none(order);
    }
    int most = plan.buckets() * PER_BUCKET;
    long bytes = Math.min(SAMPLE_BYTES, 2L * plan.mostBytes());
    var sample = new LineSample(most, bytes, inputs.bytes());
    long places = Math.min(MOST_PLACES, inputs.parts());
    try (var reader = new LineReader(order.rows(), PLACE_BYTES, plan.lineBytes())) {
      for (long place = 0; place < places; place++) {
        reader.read(beginning(inputs.part(inputs.parts() * place / places)));
        reader.forEach(sample::offer);
        progress.report(Progress.Phase.SAMPLE, place + 1, places);
      }
    }
    return LineSplitters.choose(order, sample.lines(), plan.buckets());
  }

  private static LinePart beginning(LinePart part) {
    long to = Math.min(part.to(), part.from() + PLACE_BYTES);
    return new LinePart(
        part.file(), part.from(), to, part.number(), part.isFirst(), part.insideFrom());
  }
}
