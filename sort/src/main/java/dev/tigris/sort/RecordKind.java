package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Records, in an order.
record RecordKind(RecordOrder order) implements HostKind<SortJob.Result, CheckJob.Result> {
  /// Enough keys of each host for the most buckets there can be on a few hosts.
  private static final int BUCKETS = 512;

  @Override
  public long leastMemoryBytes() {
    return 1;
  }

  @Override
  public void writeOrder(DataOutputStream out) throws IOException {
    SharedSort.writeOrder(out, order);
  }

  static RecordKind read(DataInputStream in) throws IOException {
    return new RecordKind(SharedSort.readOrder(in));
  }

  @Override
  public HostSurvey.Told survey(HostSurvey.Question question, List<Integer> own)
      throws SortException, InterruptedException {
    List<Path> paths = own.stream().map(file -> question.share().files().get(file).path()).toList();
    try (InputFiles inputs = new InputFiles(paths, order.format())) {
      List<HostSurvey.Input> found = new ArrayList<>();
      for (int i = 0; i < own.size(); i++) {
        InputFile file = inputs.files().get(i);
        found.add(new HostSurvey.Input(own.get(i), file.state(), 0, file.size()));
      }
      RecordCode code = RecordCode.of(order, inputs.records());
      return new HostSurvey.Told(
          HostSurvey.Means.here(question.memoryBytes(), inputs.waitForDisk()),
          found,
          null,
          Sampler.keys(inputs, keyFormat(code), code, BUCKETS));
    }
  }

  /// Returns where the keys lie that splitters are chosen from. Hosts number their records apart,
  /// so records with equal keys go to one bucket.
  private RecordFormat keyFormat(@Nullable RecordCode code) {
    return code == null ? order.format() : code.withoutNumber();
  }

  @Override
  public HostPlan<SortJob.Result> plan(
      HostSurvey survey, HostSurvey.Question question, int parallel) throws SortException {
    int processes = question.share().hosts().size();
    HostSurvey.Means least = survey.least();
    long records = survey.bytes() / order.recordSize();
    RecordCode code = RecordCode.of(order, records);
    RecordFormat sorted = code == null ? order.format() : code.encoded();
    SortPlan.Demand demand =
        new SortPlan.Demand(
            sorted,
            records * sorted.recordSize(),
            Math.min(question.memoryBytes(), least.memoryBytes()),
            Math.min(parallel, least.processors()) * processes,
            least.waitsForDisk(),
            new Heap(least.heapBytes()),
            processes);
    SortPlan plan = SortPlan.make(demand, least.memoryBytes());
    return new HostSort.Plan(
        order,
        plan,
        splitters(survey.sample(), keyFormat(code), plan.buckets()),
        HostWork.of(survey, question));
  }

  private static Splitters splitters(List<byte[]> keys, RecordFormat format, int buckets)
      throws SortException {
    int keyBytes = Splitters.sampleBytes(format);
    Jbuf memory = Jbuf.allocate(Math.max(1, (long) keys.size() * keyBytes), "splitters");
    try {
      Bytes sample = memory.asBytes();
      for (int key = 0; key < keys.size(); key++) {
        sample.copyFrom((long) key * keyBytes, keys.get(key), 0, keyBytes);
      }
      return Splitters.choose(format, sample, keys.size(), buckets);
    } finally {
      memory.unreference(Jbuf::free);
    }
  }

  @Override
  public void check(Path file, DataOutputStream out)
      throws SortException, IOException, InterruptedException {
    CheckJob.Result result = CheckJob.of(List.of(file)).order(order).run();
    var summary = new ByteArrayOutputStream();
    result.summary().writeTo(summary);
    out.writeLong(result.bytes());
    summary.writeTo(out);
  }

  /// Joins the summaries of all files, through a file of them.
  @Override
  public Checked<CheckJob.Result> join(
      List<HostFile> files, List<byte[]> told, TemporaryFolder folder)
      throws SortException, IOException {
    Path summaries = folder.resolve("summaries");
    long sum = 0;
    try (var out = Files.newOutputStream(summaries)) {
      for (byte[] each : told) {
        var in = new DataInputStream(new ByteArrayInputStream(each));
        sum += in.readLong();
        in.transferTo(out);
      }
    } catch (IOException e) {
      throw SortException.writing(summaries, e);
    }
    long bytes = sum;
    CheckSummary summary = CheckSummary.join(List.of(summaries));
    return elapsed -> new CheckJob.Result(summary, bytes, elapsed);
  }
}
