package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.flow.Results;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The facts about the hosts of a sort that its plan depends on: what lies there, a sample of it,
/// and what each process may use.
///
/// @param processes what each process has told
/// @param made the processes on whose hosts the folder for the parts was missing
record HostSurvey(List<Told> processes, List<Integer> made) {
  static final String RESULT = "survey";

  HostSurvey {
    processes = List.copyOf(processes);
    made = List.copyOf(made);
  }

  /// The means that a process has for a sort.
  ///
  /// @param heapBytes what its heap may grow to
  /// @param memoryBytes the most memory for a sort
  /// @param processors how many it has
  /// @param waitsForDisk whether reading its inputs waits for a disk
  record Means(long heapBytes, long memoryBytes, int processors, boolean waitsForDisk) {
    /// Returns what two processes both may use.
    Means least(Means other) {
      return new Means(
          Math.min(heapBytes, other.heapBytes),
          Math.min(memoryBytes, other.memoryBytes),
          Math.min(processors, other.processors),
          waitsForDisk || other.waitsForDisk);
    }

    /// Returns what this process may use.
    static Means here(long wantedBytes, boolean waitsForDisk) throws InterruptedException {
      return new Means(
          Heap.ofProcess().bytes(),
          SortFlow.mostMemoryBytes(1, wantedBytes),
          Runtime.getRuntime().availableProcessors(),
          waitsForDisk);
    }

    private void write(DataOutputStream out) throws IOException {
      out.writeLong(heapBytes);
      out.writeLong(memoryBytes);
      out.writeInt(processors);
      out.writeBoolean(waitsForDisk);
    }

    private static Means read(DataInputStream in) throws IOException {
      return new Means(in.readLong(), in.readLong(), in.readInt(), in.readBoolean());
    }
  }

  /// A process, and the inputs on its host if it is the first one there.
  ///
  /// @param means what it may use
  /// @param inputs its inputs
  /// @param header their first row; null if they have none
  /// @param sample some of their lines, or keys of some of their records
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Told(Means means, List<Input> inputs, byte @Nullable [] header, List<byte[]> sample) {
    Told {
      inputs = List.copyOf(inputs);
      sample = List.copyOf(sample);
    }

    private long bytes() {
      return inputs.stream().mapToLong(Input::bytes).sum();
    }

    private void write(DataOutputStream out) throws IOException {
      means.write(out);
      out.writeInt(inputs.size());
      for (Input input : inputs) {
        input.write(out);
      }
      writeLine(out, header);
      out.writeInt(sample.size());
      for (byte[] each : sample) {
        out.writeInt(each.length);
        out.write(each);
      }
    }

    private static Told read(DataInputStream in) throws IOException {
      Means means = Means.read(in);
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
  }

  /// An input.
  ///
  /// @param number which one it is of all
  /// @param state what tells it from another file
  /// @param firstByte where its lines begin; of records, 0
  /// @param bytes how many bytes of records or lines it has
  record Input(int number, String state, long firstByte, long bytes) {
    SharedInput shared(HostFile file) {
      return new SharedInput(file.path().toString(), file.toString(), state, firstByte);
    }

    private void write(DataOutputStream out) throws IOException {
      out.writeInt(number);
      out.writeUTF(state);
      out.writeLong(firstByte);
      out.writeLong(bytes);
    }

    private static Input read(DataInputStream in) throws IOException {
      return new Input(in.readInt(), in.readUTF(), in.readLong(), in.readLong());
    }

    static void write(DataOutputStream out, List<Input> all) throws IOException {
      for (Input each : all) {
        each.write(out);
      }
    }

    static List<Input> read(DataInputStream in, int count) throws IOException {
      List<Input> all = new ArrayList<>();
      while (all.size() < count) {
        all.add(read(in));
      }
      return all;
    }
  }

  /// The question to the processes of all hosts.
  ///
  /// @param kind of what is sorted
  /// @param share the inputs
  /// @param folder that is to have the parts
  /// @param memoryBytes how much memory each process is to use
  record Question(HostKind<?, ?> kind, HostShare share, Path folder, long memoryBytes) {
    /// Returns the text for other processes.
    String text() {
      return PlanText.of(
          out -> {
            kind.write(out);
            share.write(out);
            out.writeUTF(folder.toString());
            out.writeLong(memoryBytes);
          });
    }

    /// Reads a question.
    ///
    /// @throws IOException if the text is none
    static Question read(String text) throws IOException {
      return PlanText.read(
          text,
          in ->
              new Question(
                  HostKind.read(in), HostShare.read(in), Path.of(in.readUTF()), in.readLong()));
    }

    /// Answers in one process.
    void answer(int process, DataOutputStream out) throws Exception {
      boolean isFirst = share.place(process) == 0;
      if (isFirst) {
        HostFolder.refuseParts(folder);
      }
      kind.survey(this, isFirst ? share.at(process) : List.of()).write(out);
    }
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
  static HostSurvey of(Cluster cluster, Question question, TemporaryFolder plans)
      throws SortException, InterruptedException {
    Results told = SortProcesses.ask(cluster, question, plans);
    List<Told> processes = new ArrayList<>();
    for (byte[] answer : told.bytes(RESULT)) {
      try (var in = new DataInputStream(new ByteArrayInputStream(answer))) {
        processes.add(Told.read(in));
      } catch (IOException e) { // memory does not fail so, and processes have equal code
        throw new UncheckedIOException(e);
      }
    }
    return new HostSurvey(processes, HostFolder.made(told, processes.size()));
  }

  /// Returns what any process of the sort may use: as much as that with the least.
  Means least() {
    return processes.stream().map(Told::means).reduce(Means::least).orElseThrow();
  }

  /// Returns how many bytes of records or lines there are.
  long bytes() {
    return processes.stream().mapToLong(Told::bytes).sum();
  }

  /// Returns all inputs, in their order.
  List<Input> inputs(int count) {
    List<Input> all =
        processes.stream()
            .flatMap(each -> each.inputs().stream())
            .sorted(Comparator.comparingInt(Input::number))
            .toList();
    for (int input = 0; input < count; input++) {
      if (all.size() != count || all.get(input).number() != input) {
        throw new IllegalStateException(
            "of %d inputs, the hosts have told %s".formatted(count, all));
      }
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

  /// Returns a sample of all inputs: a host with twice the bytes gives twice as much to it.
  List<byte[]> sample() {
    double rate = 1;
    for (Told each : processes) {
      if (each.bytes() > 0) {
        rate = Math.min(rate, (double) each.sample().size() / each.bytes());
      }
    }
    List<byte[]> all = new ArrayList<>();
    for (Told each : processes) {
      int known = each.sample().size();
      long wanted = Math.min(known, (long) Math.ceil(rate * each.bytes()));
      for (long i = 0; i < wanted; i++) {
        all.add(each.sample().get((int) (i * known / wanted)));
      }
    }
    return all;
  }
}
