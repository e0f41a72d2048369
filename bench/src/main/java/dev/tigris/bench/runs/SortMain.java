package dev.tigris.bench.runs;

import dev.tigris.cluster.Exchange;
import dev.tigris.cluster.StreamOptions;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import dev.tigris.net.Fabric;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A node of TigrisSort, which partitions records or sorts them. Argument: its IP address. It
/// answers each line of its standard input by one on its standard output, and ends with that input.
///
/// ```text
///   sort RUN SELF PARTITIONERS OUTPUT     ADDRESS
///   partition RUN SELF INPUT ADDRESS...   partitioning    one for each sorter
///   end                                   ended           all is read, or on the disk
/// ```
final class SortMain {
  static final int RECORD_BYTES = 100;
  private static final int KEY_BYTES = 10;
  private static final int WATER_RECORDS = 80;
  private static final int WINDOW = 16;
  private static final int READ_RECORDS = 1_000;

  private final String self;
  private final Fabric fabric = Fabric.open("tcp");
  private @Nullable Exchange exchange;
  private @Nullable FlowRun run;

  private SortMain(String self) {
    this.self = self;
  }

  public static void main(String[] arguments) throws Exception {
    SortMain node = new SortMain(arguments[0]);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      System.out.println(node.answer(line.split(" ", -1)));
    }
  }

  private String answer(String[] words) throws Exception {
    return switch (words[0]) {
      case "sort" -> sort(words);
      case "partition" -> partition(words);
      case "end" -> end();
      default -> throw new IOException("no such command: " + words[0]);
    };
  }

  private Exchange exchange(String number) {
    Exchange made = new Exchange(Long.parseLong(number), 0, StreamOptions.DEFAULT);
    exchange = made;
    return made;
  }

  private String sort(String[] words) {
    Exchange to = exchange(words[1]);
    String address = to.listen(fabric, self + ":0");
    StreamKind[] streams = new StreamKind[Integer.parseInt(words[3])];
    for (int partitioner = 0; partitioner < streams.length; partitioner++) {
      String name = partitioner + " to " + words[2];
      streams[partitioner] = to.receiving(name).withWindow(WINDOW);
    }
    Path output = Path.of(words[4]);
    run =
        Flow.named("sort")
            .stage("sort", () -> new Sorter(output))
            .feed("sort", streams)
            .build()
            .start();
    return address;
  }

  private String partition(String[] words) {
    Exchange from = exchange(words[1]);
    String[] addresses = Arrays.copyOfRange(words, 4, words.length);
    StreamKind[] streams = new StreamKind[addresses.length];
    for (int sorter = 0; sorter < streams.length; sorter++) {
      streams[sorter] = from.sending(words[2] + " to " + sorter, fabric, addresses[sorter]);
    }
    Path input = Path.of(words[3]);
    run =
        Flow.named("partition")
            .source("partition", () -> new Partitioner(input))
            .drain("partition", Reservoir.routed().withWindow(WINDOW), streams)
            .build()
            .start();
    return "partitioning";
  }

  private String end() throws Exception {
    Objects.requireNonNull(run, "nothing has begun").await();
    Objects.requireNonNull(exchange, "nothing has begun").close();
    return "ended";
  }

  /// Returns the first bytes of a key as a number that is ordered as they are.
  private static long prefix(byte[] records, int at) {
    return ByteBuffer.wrap(records, at, Long.BYTES).getLong() ^ Long.MIN_VALUE;
  }

  /// Reads records, and gives each to the sorter of its key. Keys are random, so that sorters get
  /// equal ranges of their first 32 bits.
  private static final class Partitioner implements Source {
    private final Path path;
    private final byte[] block = new byte[READ_RECORDS * RECORD_BYTES];
    private @Nullable InputStream input;
    private @Nullable ModuleContext context;
    private Water[] open = {};
    private int[] filled = {};

    Partitioner(Path path) {
      this.path = path;
    }

    @Override
    public void init(ModuleContext given) throws IOException {
      context = given;
      input = Files.newInputStream(path);
      open = new Water[given.routes()];
      filled = new int[given.routes()];
    }

    @Override
    public boolean produce(Stream out) throws IOException {
      int length = Objects.requireNonNull(input).readNBytes(block, 0, block.length);
      for (int at = 0; at < length; at += RECORD_BYTES) {
        long first = (prefix(block, at) ^ Long.MIN_VALUE) >>> Integer.SIZE;
        int sorter = (int) ((first * open.length) >>> Integer.SIZE);
        if (filled[sorter] == 0) {
          open[sorter] = stream(sorter).spring().createWater(WATER_RECORDS * RECORD_BYTES);
        }
        open[sorter].bytes().copyFrom(filled[sorter], block, at, RECORD_BYTES);
        filled[sorter] += RECORD_BYTES;
        if (filled[sorter] == WATER_RECORDS * RECORD_BYTES) {
          put(sorter);
        }
      }
      return length == block.length;
    }

    private Stream stream(int sorter) {
      return Objects.requireNonNull(context).route(sorter);
    }

    private void put(int sorter) {
      open[sorter].setSize(filled[sorter]);
      filled[sorter] = 0;
      stream(sorter).put(open[sorter]);
    }

    @Override
    public void finish(Stream out) {
      for (int sorter = 0; sorter < open.length; sorter++) {
        if (filled[sorter] > 0) {
          put(sorter);
        }
      }
    }

    @Override
    public void destroy() throws IOException {
      if (input != null) {
        input.close();
      }
    }
  }

  /// Keeps its records, sorts them, and writes them to the disk.
  private static final class Sorter implements Module {
    private final Path path;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private byte[] through = {};

    Sorter(Path path) {
      this.path = path;
    }

    @Override
    public void process(Water in, Stream out) {
      int size = in.size();
      through = through.length < size ? new byte[size] : through;
      in.bytes().copyTo(0, through, 0, size);
      kept.write(through, 0, size);
    }

    @Override
    public void finish(Stream out) throws IOException {
      byte[] records = kept.toByteArray();
      Integer[] order = new Integer[records.length / RECORD_BYTES];
      Arrays.setAll(order, record -> record * RECORD_BYTES);
      Arrays.sort(order, (left, right) -> compare(records, left, right));
      byte[] sorted = new byte[records.length];
      for (int record = 0; record < order.length; record++) {
        System.arraycopy(records, order[record], sorted, record * RECORD_BYTES, RECORD_BYTES);
      }
      try (FileChannel file =
          FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        ByteBuffer all = ByteBuffer.wrap(sorted);
        while (all.hasRemaining()) {
          int _ = file.write(all);
        }
        file.force(true);
      }
    }

    private static int compare(byte[] records, int left, int right) {
      int compared = Long.compare(prefix(records, left), prefix(records, right));
      return compared != 0
          ? compared
          : Arrays.compareUnsigned(
              records, left, left + KEY_BYTES, records, right, right + KEY_BYTES);
    }
  }
}
