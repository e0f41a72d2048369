package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The facts about the hosts of a sort that its plan depends on: what lies there, keys of some of
/// it, and what each process may use.
///
/// @param processes what each process has told
record HostSurvey(List<Told> processes) {
  static final String RESULT = "survey";

  /// Enough keys of each host for the most buckets there can be on a few hosts.
  private static final int BUCKETS = 512;

  HostSurvey {
    processes = List.copyOf(processes);
  }

  /// The means that a process has for a sort.
  ///
  /// @param heapBytes what its heap may grow to
  /// @param memoryBytes the most memory for a sort
  /// @param processors how many it has
  /// @param waitsForDisk whether reading its inputs waits for a disk
  record Means(long heapBytes, long memoryBytes, int processors, boolean waitsForDisk) {
    /// Returns what two processes both may use.
    private Means least(Means other) {
      return new Means(
          Math.min(heapBytes, other.heapBytes),
          Math.min(memoryBytes, other.memoryBytes),
          Math.min(processors, other.processors),
          waitsForDisk || other.waitsForDisk);
    }
  }

  /// A process, and the inputs on its host if it is the first one there.
  ///
  /// @param means what it may use
  /// @param records how many its inputs have
  /// @param numbers of its inputs
  /// @param states what tells each of them from another file
  /// @param keys of some records
  record Told(
      Means means, long records, List<Integer> numbers, List<String> states, Sampler.Keys keys) {
    Told {
      numbers = List.copyOf(numbers);
      states = List.copyOf(states);
    }
  }

  /// The question to the processes of all hosts.
  ///
  /// @param order of the records
  /// @param share the inputs
  /// @param folder that is to have the parts
  /// @param memoryBytes how much memory each process is to use
  record Question(RecordOrder order, HostShare share, Path folder, long memoryBytes) {
    String text() {
      return PlanText.of(
          out -> {
            SharedSort.writeOrder(out, order);
            share.write(out);
            out.writeUTF(folder.toString());
            out.writeLong(memoryBytes);
          });
    }

    static Question read(String text) throws IOException {
      return PlanText.read(
          text,
          in ->
              new Question(
                  SharedSort.readOrder(in),
                  HostShare.read(in),
                  Path.of(in.readUTF()),
                  in.readLong()));
    }

    /// Answers in one process.
    void answer(int process, DataOutputStream out) throws Exception {
      boolean isFirst = share.place(process) == 0;
      if (isFirst) {
        makeFolder();
      }
      List<Integer> own = isFirst ? share.at(process) : List.of();
      List<Path> paths = own.stream().map(file -> share.files().get(file).path()).toList();
      try (InputFiles inputs = new InputFiles(paths, order.format())) {
        out.writeLong(Heap.ofProcess().bytes());
        out.writeLong(SortFlow.mostMemoryBytes(1, memoryBytes));
        out.writeInt(Runtime.getRuntime().availableProcessors());
        out.writeBoolean(inputs.waitForDisk());
        out.writeLong(inputs.records());
        out.writeInt(own.size());
        for (int i = 0; i < own.size(); i++) {
          out.writeInt(own.get(i));
          out.writeUTF(inputs.files().get(i).state());
        }
        RecordCode code = RecordCode.of(order, inputs.records());
        RecordFormat sorted = code == null ? order.format() : code.encoded();
        Sampler.Keys keys = Sampler.keys(inputs, sorted, code, BUCKETS);
        out.writeInt(keys.count());
        out.writeInt(keys.bytes().length);
        out.write(keys.bytes());
      }
    }

    /// Makes the folder for the parts. Parts of another sort are refused: this one may have fewer.
    private void makeFolder() throws SortException {
      try {
        Path _ = Files.createDirectories(folder);
        try (DirectoryStream<Path> parts = Files.newDirectoryStream(folder, "part-*")) {
          for (Path part : parts) {
            throw new SortException(
                SortException.Kind.OUTPUT,
                part + " exists: delete the parts that are there, or name another folder");
          }
        }
      } catch (SortException e) {
        throw e;
      } catch (IOException e) {
        throw SortException.writing(folder, e);
      }
    }
  }

  /// Asks the hosts, by a run of its own.
  static HostSurvey of(Cluster cluster, Question question, TemporaryFolder plans)
      throws SortException, InterruptedException {
    List<byte[]> answers =
        new SortProcesses(cluster, HostSurveyProgram.class, question.folder())
            .run(plans, question.text(), 0, Progress.NONE)
            .bytes(RESULT);
    List<Told> processes = new ArrayList<>();
    for (byte[] answer : answers) {
      try (var in = new DataInputStream(new ByteArrayInputStream(answer))) {
        processes.add(read(in));
      } catch (IOException e) { // memory does not fail so, and processes have equal code
        throw new UncheckedIOException(e);
      }
    }
    return new HostSurvey(processes);
  }

  private static Told read(DataInputStream in) throws IOException {
    var means = new Means(in.readLong(), in.readLong(), in.readInt(), in.readBoolean());
    long records = in.readLong();
    List<Integer> numbers = new ArrayList<>();
    List<String> states = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      numbers.add(in.readInt());
      states.add(in.readUTF());
    }
    int count = in.readInt();
    byte[] keys = in.readNBytes(in.readInt());
    return new Told(means, records, numbers, states, new Sampler.Keys(keys, count));
  }

  long records() {
    return processes.stream().mapToLong(Told::records).sum();
  }

  /// Returns what any process of the sort may use: as much as that with the least.
  Means least() {
    return processes.stream().map(Told::means).reduce(Means::least).orElseThrow();
  }

  /// Returns the states of all inputs.
  String[] states(int inputs) {
    @Nullable String[] states = new @Nullable String[inputs];
    for (Told each : processes) {
      for (int i = 0; i < each.numbers().size(); i++) {
        states[each.numbers().get(i)] = each.states().get(i);
      }
    }
    String[] all = new String[inputs];
    for (int input = 0; input < inputs; input++) {
      String state = states[input];
      if (state == null) {
        throw new IllegalStateException("no process has told of input " + input);
      }
      all[input] = state;
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
