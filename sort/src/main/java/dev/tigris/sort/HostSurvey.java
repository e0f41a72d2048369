package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.flow.Results;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
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

/// The facts about the hosts of a sort that its plan depends on: what lies there, keys of some of
/// it, and what each process may use.
///
/// @param processes what each process has told
/// @param made the processes on whose hosts the folder for the parts was missing
record HostSurvey(List<Told> processes, List<Integer> made) {
  static final String RESULT = "survey";

  /// Enough keys of each host for the most buckets there can be on a few hosts.
  private static final int BUCKETS = 512;

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

    void write(DataOutputStream out) throws IOException {
      out.writeLong(heapBytes);
      out.writeLong(memoryBytes);
      out.writeInt(processors);
      out.writeBoolean(waitsForDisk);
    }

    static Means read(DataInputStream in) throws IOException {
      return new Means(in.readLong(), in.readLong(), in.readInt(), in.readBoolean());
    }
  }

  /// A process, and the inputs on its host if it is the first one there.
  ///
  /// @param means what it may use
  /// @param inputs its inputs
  /// @param keys of some records
  record Told(Means means, List<Input> inputs, Sampler.Keys keys) {
    Told {
      inputs = List.copyOf(inputs);
    }

    private long records() {
      return inputs.stream().mapToLong(Input::records).sum();
    }
  }

  /// An input.
  ///
  /// @param number which one it is of all
  /// @param state what tells it from another file
  /// @param records how many it has
  record Input(int number, String state, long records) {}

  /// The question to the processes of all hosts.
  ///
  /// @param order of the records
  /// @param share the inputs
  /// @param folder that is to have the parts
  /// @param memoryBytes how much memory each process is to use
  record Question(RecordOrder order, HostShare share, Path folder, long memoryBytes)
      implements HostQuestion {
    @Override
    public void write(DataOutputStream out) throws IOException {
      SharedSort.writeOrder(out, order);
      share.write(out);
      out.writeUTF(folder.toString());
      out.writeLong(memoryBytes);
    }

    static Question read(DataInputStream in) throws IOException {
      return new Question(
          SharedSort.readOrder(in), HostShare.read(in), Path.of(in.readUTF()), in.readLong());
    }

    @Override
    public void answer(int process, DataOutputStream out) throws Exception {
      boolean isFirst = share.place(process) == 0;
      if (isFirst) {
        HostFolder.refuseParts(folder);
      }
      List<Integer> own = isFirst ? share.at(process) : List.of();
      List<Path> paths = own.stream().map(file -> share.files().get(file).path()).toList();
      try (InputFiles inputs = new InputFiles(paths, order.format())) {
        Means.here(memoryBytes, inputs.waitForDisk()).write(out);
        out.writeInt(own.size());
        for (int i = 0; i < own.size(); i++) {
          InputFile file = inputs.files().get(i);
          out.writeInt(own.get(i));
          out.writeUTF(file.state());
          out.writeLong(file.size() / order.recordSize());
        }
        RecordCode code = RecordCode.of(order, inputs.records());
        Sampler.Keys keys = Sampler.keys(inputs, keyFormat(order, code), code, BUCKETS);
        out.writeInt(keys.count());
        out.writeInt(keys.bytes().length);
        out.write(keys.bytes());
      }
    }
  }

  /// Asks the hosts, by a run of its own.
  static HostSurvey of(Cluster cluster, Question question, TemporaryFolder plans)
      throws SortException, InterruptedException {
    Results told = SortProcesses.ask(cluster, question, plans);
    List<Told> processes = new ArrayList<>();
    for (byte[] answer : told.bytes(RESULT)) {
      try (var in = new DataInputStream(new ByteArrayInputStream(answer))) {
        processes.add(read(in));
      } catch (IOException e) { // memory does not fail so, and processes have equal code
        throw new UncheckedIOException(e);
      }
    }
    return new HostSurvey(processes, HostFolder.made(told, processes.size()));
  }

  private static Told read(DataInputStream in) throws IOException {
    Means means = Means.read(in);
    List<Input> inputs = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      inputs.add(new Input(in.readInt(), in.readUTF(), in.readLong()));
    }
    int count = in.readInt();
    byte[] keys = in.readNBytes(in.readInt());
    return new Told(means, inputs, new Sampler.Keys(keys, count));
  }

  /// Returns where the keys lie that splitters are chosen from. Hosts number their records apart,
  /// so records with equal keys go to one bucket.
  static RecordFormat keyFormat(RecordOrder order, @Nullable RecordCode code) {
    return code == null ? order.format() : code.withoutNumber();
  }

  long records() {
    return processes.stream().mapToLong(Told::records).sum();
  }

  /// Returns what any process of the sort may use: as much as that with the least.
  Means least() {
    return processes.stream().map(Told::means).reduce(Means::least).orElseThrow();
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

  /// Chooses splitters over all inputs: a host with twice the records gives twice the keys.
  Splitters splitters(RecordFormat format, int buckets) throws SortException {
    double rate = 1;
    for (Told each : processes) {
      if (each.records() > 0) {
        rate = Math.min(rate, (double) each.keys().count() / each.records());
      }
    }
    int keyBytes = Splitters.sampleBytes(format);
    long most = processes.stream().mapToLong(each -> each.keys().count()).sum();
    Jbuf memory = Jbuf.allocate(Math.max(1, most * keyBytes), "splitters");
    try {
      Bytes sample = memory.asBytes();
      int count = 0;
      for (Told each : processes) {
        int known = each.keys().count();
        long wanted = Math.min(known, (long) Math.ceil(rate * each.records()));
        for (long i = 0; i < wanted; i++) {
          int key = (int) (i * known / wanted);
          sample.copyFrom((long) count * keyBytes, each.keys().bytes(), key * keyBytes, keyBytes);
          count++;
        }
      }
      return Splitters.choose(format, sample, count, buckets);
    } finally {
      memory.unreference(Jbuf::free);
    }
  }
}
