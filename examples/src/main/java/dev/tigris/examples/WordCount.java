package dev.tigris.examples;

import dev.tigris.flow.FileStream;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Counts the words of files with a dataflow of two stages, joined by a deterministic reservoir
/// (Welsh and Culler, *Achieving Robust, Scalable Cluster I/O in Java*, 2000, section 4).
///
/// ```sh
/// ./tigris example WordCount README.md
/// ```
///
/// ```text
/// files -> count (several) -> routed by word -> sum (several)
/// ```
///
/// The first stage counts the words that it reads, and sends a few counts of a frequent word
/// instead of each occurrence. It routes a count to the replica that sums up the word. Each replica
/// has its own words, so that the replicas share nothing.
public final class WordCount {
  private static final int READ_BYTES = 64 * 1024;
  private static final int BATCH_CHARACTERS = 8 * 1024;

  /// A replica with this many words sends their counts, and begins anew.
  private static final int MOST_WORDS = 1 << 16;

  private WordCount() {}

  /// Counts how often each word occurs in the files; the result is in the order of the words. A
  /// word is a run of letters and digits of any script, with their marks; the files are in UTF-8.
  ///
  /// @param replicas the replicas that count, and as many that sum up
  /// @throws FlowException if a file cannot be read
  /// @throws InterruptedException if the calling thread is interrupted
  public static Map<String, Long> of(List<Path> files, int replicas)
      throws FlowException, InterruptedException {
    var sums = new ConcurrentSkipListMap<String, Long>();
    if (files.isEmpty()) {
      return sums;
    }
    Flow.named("word count")
        .stage("count", Counter::new, Math.min(files.size(), replicas))
        .feed(
            "count",
            files.stream()
                .map(file -> FileStream.reading(file, READ_BYTES))
                .toArray(StreamKind[]::new))
        .reservoir(Reservoir.routed())
        .stage("sum", () -> new Summer(sums), replicas)
        .build()
        .start()
        .await();
    return new TreeMap<>(sums);
  }

  /// Prints how often each word occurs in the files that the arguments name.
  public static void main(String[] arguments) throws FlowException, InterruptedException {
    if (arguments.length == 0) {
      System.err.println("usage: WordCount FILE...");
      return;
    }
    of(Arrays.stream(arguments).map(Path::of).toList(), Runtime.getRuntime().availableProcessors())
        .forEach((word, count) -> System.out.println(count + " " + word));
  }

  /// Cuts files into words, counts them, and sends the counts, many in a water: words and numbers
  /// in turn, a space after each.
  private static final class Counter implements Module {
    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}]*");

    private final Map<String, Long> counts = new HashMap<>();

    /// The bytes of each file since its last gap: a replica gets the waters of its files in turn.
    /// A gap is an ASCII character that is no letter or digit; text without one stays in memory.
    private final Map<Stream, ByteArrayOutputStream> begun = new HashMap<>();

    private ModuleContext context;
    private StringBuilder[] batches;

    @Override
    public void init(ModuleContext given) {
      context = given;
      batches = new StringBuilder[given.routes()];
      for (int route = 0; route < batches.length; route++) {
        batches[route] = new StringBuilder();
      }
    }

    @Override
    public void process(Water in, Stream out) {
      ByteArrayOutputStream text =
          begun.computeIfAbsent(context.input(), file -> new ByteArrayOutputStream());
      byte[] bytes = new byte[in.size()];
      in.bytes().copyTo(0, bytes, 0, bytes.length);
      int gap = bytes.length; // a word may go on in the next water, so it ends at a gap, not there
      while (gap > 0 && !isGap(bytes[gap - 1])) {
        gap--;
      }
      if (gap > 0) {
        text.write(bytes, 0, gap);
        count(text);
      }
      text.write(bytes, gap, bytes.length - gap);
    }

    private static boolean isGap(byte unit) {
      return unit >= 0 && !Character.isLetterOrDigit(unit); // below zero: of a longer character
    }

    @Override
    public void finish(Stream out) {
      begun.values().forEach(this::count);
      sendCounts();
      for (int route = 0; route < batches.length; route++) {
        sendBatch(route);
      }
    }

    /// Counts the words of a text that ends between two of them.
    private void count(ByteArrayOutputStream text) {
      Matcher words = WORD.matcher(text.toString(StandardCharsets.UTF_8));
      while (words.find()) {
        counts.merge(words.group(), 1L, Long::sum);
      }
      text.reset();
      if (counts.size() >= MOST_WORDS) {
        sendCounts();
      }
    }

    private void sendCounts() {
      counts.forEach(
          (word, count) -> {
            int route = Math.floorMod(word.hashCode(), batches.length);
            batches[route].append(word).append(' ').append(count).append(' ');
            if (batches[route].length() >= BATCH_CHARACTERS) {
              sendBatch(route);
            }
          });
      counts.clear();
    }

    private void sendBatch(int route) {
      byte[] bytes = batches[route].toString().getBytes(StandardCharsets.UTF_8);
      batches[route].setLength(0);
      Stream to = context.route(route);
      Water water = to.spring().createWater(bytes.length);
      water.bytes().copyFrom(0, bytes, 0, bytes.length);
      to.put(water);
    }
  }

  /// Sums up the counts that come in, and adds them to the result when all have come.
  private static final class Summer implements Module {
    private final Map<String, Long> result;
    private final Map<String, Long> own = new HashMap<>();

    Summer(Map<String, Long> result) {
      this.result = result;
    }

    @Override
    public void process(Water in, Stream out) {
      byte[] bytes = new byte[in.size()];
      in.bytes().copyTo(0, bytes, 0, bytes.length);
      String[] parts = new String(bytes, StandardCharsets.UTF_8).split(" ", -1);
      for (int i = 0; i + 1 < parts.length; i += 2) {
        own.merge(parts[i], Long.valueOf(parts[i + 1]), Long::sum);
      }
    }

    @Override
    public void finish(Stream out) {
      result.putAll(own);
    }
  }
}
