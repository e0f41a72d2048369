package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.flow.Results;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The facts about the hosts of a sort of lines that its plan depends on: as [HostSurvey] of
/// records.
///
/// @param processes what each process has told
/// @param made the processes on whose hosts the folder for the parts was missing
record HostLineSurvey(List<Told> processes, List<Integer> made) {
  /// Enough lines of each host for the most buckets there can be on a few hosts.
  private static final int MOST_LINES = 512 * LineSampler.PER_BUCKET;

  private static final long SAMPLE_BYTES = 1 << 20;
  private static final int CUT_BYTES = 1 << 20;

  HostLineSurvey {
    processes = List.copyOf(processes);
    made = List.copyOf(made);
  }

  /// A process, and the inputs on its host if it is the first one there.
  ///
  /// @param means what it may use
  /// @param inputs its inputs
  /// @param header their first row; null if they have none
  /// @param sample some of their lines
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Told(
      HostSurvey.Means means, List<Input> inputs, byte @Nullable [] header, List<byte[]> sample) {
    Told {
      inputs = List.copyOf(inputs);
      sample = List.copyOf(sample);
    }

    private long lineBytes() {
      return inputs.stream().mapToLong(Input::lineBytes).sum();
    }
  }

  /// An input.
  ///
  /// @param number which one it is of all
  /// @param state what tells it from another file
  /// @param firstByte where its lines begin
  /// @param lineBytes how many bytes of lines it has
  record Input(int number, String state, long firstByte, long lineBytes) {
    SharedInput shared(HostFile file) {
      return new SharedInput(file.path().toString(), file.toString(), state, firstByte);
    }

    void write(DataOutputStream out) throws IOException {
      out.writeInt(number);
      out.writeUTF(state);
      out.writeLong(firstByte);
      out.writeLong(lineBytes);
    }

    static Input read(DataInputStream in) throws IOException {
      return new Input(in.readInt(), in.readUTF(), in.readLong(), in.readLong());
    }
  }

  /// The question to the processes of all hosts.
  ///
  /// @param order of the lines
  /// @param share the inputs
  /// @param folder that is to have the parts
  /// @param memoryBytes how much memory each process is to use
  record Question(LineOrder order, HostShare share, Path folder, long memoryBytes)
      implements HostQuestion {
    @Override
    public void write(DataOutputStream out) throws IOException {
      order.write(out);
      share.write(out);
      out.writeUTF(folder.toString());
      out.writeLong(memoryBytes);
    }

    static Question read(DataInputStream in) throws IOException {
      return new Question(
          LineOrder.read(in), HostShare.read(in), Path.of(in.readUTF()), in.readLong());
    }

    @Override
    public void answer(int process, DataOutputStream out) throws Exception {
      boolean isFirst = share.place(process) == 0;
      if (isFirst) {
        HostFolder.refuseParts(folder);
      }
      List<Integer> own = isFirst ? share.at(process) : List.of();
      List<SortInput> files =
          own.stream().map(file -> SortInput.file(share.files().get(file).path())).toList();
      HostSurvey.Means means = HostSurvey.Means.here(memoryBytes, false);
      for (SortInput file : files) {
        refusePipe(file);
      }
      try (LineInputs inputs = new LineInputs(files, order, folder)) {
        means.write(out);
        List<SharedInput> found = inputs.shared();
        out.writeInt(own.size());
        for (int i = 0; i < own.size(); i++) {
          new Input(own.get(i), found.get(i).state(), found.get(i).firstByte(), inputs.lineBytes(i))
              .write(out);
        }
        writeLine(out, inputs.header());
        int lineBytes = lineBytes(inputs.bytes(), means);
        var sample = new LineSample(MOST_LINES, SAMPLE_BYTES, inputs.bytes());
        inputs.cut(CUT_BYTES, means.processors());
        LineSampler.fill(sample, inputs, order, lineBytes, Progress.NONE);
        out.writeInt(sample.lines().size());
        for (byte[] line : sample.lines()) {
          writeLine(out, line);
        }
      }
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

  static void writeLine(DataOutputStream out, byte @Nullable [] line) throws IOException {
    out.writeInt(line == null ? -1 : line.length);
    out.write(line == null ? new byte[0] : line);
  }

  static byte @Nullable [] readLine(DataInputStream in) throws IOException {
    int length = in.readInt();
    return length < 0 ? null : in.readNBytes(length);
  }

  /// Asks the hosts, by a run of its own.
  static HostLineSurvey of(Cluster cluster, Question question, TemporaryFolder plans)
      throws SortException, InterruptedException {
    Results told = SortProcesses.ask(cluster, question, plans);
    List<Told> processes = new ArrayList<>();
    for (byte[] answer : told.bytes(HostSurvey.RESULT)) {
      try (var in = new DataInputStream(new ByteArrayInputStream(answer))) {
        processes.add(read(in));
      } catch (IOException e) { // memory does not fail so, and processes have equal code
        throw new UncheckedIOException(e);
      }
    }
    return new HostLineSurvey(processes, HostFolder.made(told, processes.size()));
  }

  private static Told read(DataInputStream in) throws IOException {
    HostSurvey.Means means = HostSurvey.Means.read(in);
    List<Input> inputs = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      inputs.add(Input.read(in));
    }
    byte @Nullable [] header = readLine(in);
    List<byte[]> sample = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      sample.add(in.readNBytes(in.readInt()));
    }
    return new Told(means, inputs, header, sample);
  }

  /// Returns what any process of the sort may use: as much as that with the least.
  HostSurvey.Means least() {
    return processes.stream().map(Told::means).reduce(HostSurvey.Means::least).orElseThrow();
  }

  long lineBytes() {
    return processes.stream().mapToLong(Told::lineBytes).sum();
  }

  /// Returns all inputs, in their order.
  List<Input> inputs(int count) {
    List<Input> all =
        processes.stream()
            .flatMap(each -> each.inputs().stream())
            .sorted(Comparator.comparingInt(Input::number))
            .toList();
    if (all.size() != count) {
      throw new IllegalStateException("of %d inputs, the hosts have told %s".formatted(count, all));
    }
    return all;
  }

  /// Returns the first row that all inputs have; null without one.
  byte @Nullable [] header(HostShare share) throws SortException {
    byte[] first = null;
    for (int process = 0; process < processes.size(); process++) {
      byte[] row = processes.get(process).header();
      if (row != null && first != null && !LineOrder.isSameHeader(row, first)) {
        throw LineInputs.otherHeader(share.files().get(share.at(process).getFirst()).toString());
      }
      first = first == null ? row : first;
    }
    return first;
  }

  /// Chooses splitters over all inputs: a host with twice the bytes gives twice the lines.
  LineSplitters splitters(LineOrder rows, int buckets) {
    if (buckets == 1) {
      return LineSplitters.none(rows);
    }
    double rate = 1;
    for (Told each : processes) {
      if (each.lineBytes() > 0) {
        rate = Math.min(rate, (double) each.sample().size() / each.lineBytes());
      }
    }
    List<byte[]> all = new ArrayList<>();
    for (Told each : processes) {
      int known = each.sample().size();
      long wanted = Math.min(known, (long) Math.ceil(rate * each.lineBytes()));
      for (long i = 0; i < wanted; i++) {
        all.add(each.sample().get((int) (i * known / wanted)));
      }
    }
    return LineSplitters.choose(rows, all, buckets, LineSampler.BOUNDARY_BYTES);
  }
}
