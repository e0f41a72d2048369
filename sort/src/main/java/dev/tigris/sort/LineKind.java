package dev.tigris.sort;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Lines of text, in an order. Of CSV, all inputs have one first row, and so has each part.
record LineKind(LineOrder order) implements HostKind<LineSortJob.Result, LineCheckJob.Result> {
  /// Enough lines of each host for the most buckets there can be on a few hosts.
  private static final int MOST_LINES = 512 * LineSampler.PER_BUCKET;

  private static final long SAMPLE_BYTES = 1 << 20;
  private static final int CUT_BYTES = 1 << 20;

  @Override
  public long leastMemoryBytes() {
    return LinePlan.LEAST_BYTES;
  }

  @Override
  public void writeOrder(DataOutputStream out) throws IOException {
    order.write(out);
  }

  static LineKind read(DataInputStream in) throws IOException {
    return new LineKind(LineOrder.read(in));
  }

  @Override
  public HostSurvey.Told survey(HostSurvey.Question question, List<Integer> own)
      throws SortException, InterruptedException {
    List<SortInput> files =
        own.stream()
            .map(file -> SortInput.file(question.share().files().get(file).path()))
            .toList();
    HostSurvey.Means means = HostSurvey.Means.here(question.memoryBytes(), false);
    for (SortInput file : files) {
      refusePipe(file);
    }
    try (LineInputs inputs = new LineInputs(files, order, question.folder())) {
      List<SharedInput> shared = inputs.shared();
      List<HostSurvey.Input> found = new ArrayList<>();
      for (int i = 0; i < own.size(); i++) {
        SharedInput each = shared.get(i);
        found.add(
            new HostSurvey.Input(own.get(i), each.state(), each.firstByte(), inputs.lineBytes(i)));
      }
      var sample = new LineSample(MOST_LINES, SAMPLE_BYTES, inputs.bytes());
      inputs.cut(CUT_BYTES, means.processors());
      LineSampler.fill(sample, inputs, order, lineBytes(inputs.bytes(), means), Progress.NONE);
      return new HostSurvey.Told(means, found, inputs.header(), sample.lines());
    }
  }

  private static void refusePipe(SortInput input) throws SortException {
    Path path = Path.of(input.toString());
    if (Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path)) {
      throw new SortException(
          SortException.Kind.INPUT, path + " is a pipe: hosts sort files, so write it to one");
    }
  }

  /// Returns how long a line may be where all hosts are as this one.
  private static int lineBytes(long inputBytes, HostSurvey.Means means) {
    return LinePlan.make(
            inputBytes,
            Math.max(LinePlan.LEAST_BYTES, means.memoryBytes()),
            means.processors(),
            false,
            new Heap(means.heapBytes()),
            1)
        .lineBytes();
  }

  @Override
  public HostPlan<LineSortJob.Result> plan(
      HostSurvey survey, HostSurvey.Question question, int parallel) throws SortException {
    HostShare share = question.share();
    HostSurvey.Means least = survey.least();
    if (least.memoryBytes() < LinePlan.LEAST_BYTES) {
      throw new SortException(
          SortException.Kind.MEMORY,
          "a process has %d bytes left for a sort, and %d are needed: free what else holds memory"
              .formatted(least.memoryBytes(), LinePlan.LEAST_BYTES));
    }
    LinePlan plan =
        LinePlan.make(
            survey.bytes(),
            Math.min(question.memoryBytes(), least.memoryBytes()),
            Math.min(parallel, least.processors()),
            order.isStable(),
            new Heap(least.heapBytes()),
            share.hosts().size());
    byte @Nullable [] header = survey.header(share);
    LineOrder rows = order.isCsv() ? order.withHeaderOf(header) : order;
    LineSplitters splitters =
        plan.buckets() == 1
            ? LineSplitters.none(rows)
            : LineSplitters.choose(
                rows, survey.sample(), plan.buckets(), LineSampler.BOUNDARY_BYTES);
    return new HostLines.Plan(rows, plan, splitters, header, HostWork.of(survey, question));
  }

  @Override
  public void check(Path file, DataOutputStream out)
      throws SortException, IOException, InterruptedException {
    LineCheckJob.of(order).input(SortInput.file(file)).ends().write(out);
  }

  @Override
  public Checked<LineCheckJob.Result> join(
      List<HostFile> files, List<byte[]> told, TemporaryFolder folder)
      throws SortException, IOException {
    LineEnds joined = new LineEnds(order);
    for (int file = 0; file < files.size(); file++) {
      var in = new DataInputStream(new ByteArrayInputStream(told.get(file)));
      joined.add(files.get(file).toString(), LineCheckJob.Ends.read(in));
    }
    return joined::result;
  }
}
