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

/// Counts the words of files: a small dataflow of two stages.
///
/// ```text
/// files -> split (several) -> routed by word -> count (several)
/// ```
///
/// A word is routed to the replica that counts it, so that each replica has its own words and
/// nothing is shared while they count.
public final class WordCount {
  private static final int READ_BYTES = 64 * 1024;
  private static final int BATCH_CHARACTERS = 8 * 1024;

  private WordCount() {}

  /// How often each word is in the files, in the order of the words. A word is a run of letters and
  /// digits of any script, with their marks; the files are in UTF-8.
  ///
  /// @param replicas how many split, and how many count
  /// @throws FlowException if a file cannot be read
  /// @throws InterruptedException if the calling thread is interrupted
  public static Map<String, Long> of(List<Path> files, int replicas)
      throws FlowException, InterruptedException {
    var counts = new ConcurrentSkipListMap<String, Long>();
    Flow.named("word count")
        .stage("split", Splitter::new, Math.min(files.size(), replicas))
        .feed(
            "split",
            files.stream()
                .map(file -> FileStream.reading(file, READ_BYTES))
                .toArray(StreamKind[]::new))
        .reservoir(Reservoir.routed())
        .stage("count", () -> new Counter(counts), replicas)
        .build()
        .start()
        .await();
    return new TreeMap<>(counts);
  }

  /// Prints how often each word is in files: `java ... dev.tigris.examples.WordCount README.md`.
  public static void main(String[] arguments) throws FlowException, InterruptedException {
    if (arguments.length == 0) {
      System.err.println("usage: WordCount FILE...");
      return;
    }
    of(Arrays.stream(arguments).map(Path::of).toList(), Runtime.getRuntime().availableProcessors())
        .forEach((word, count) -> System.out.println(count + " " + word));
  }

  /// Cuts files into words and sends each to its counter, many in a water, a space between them.
  private static final class Splitter implements Module {
    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}]*");

    /// What each file has had since its last gap: a replica gets the waters of its files in turn.
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
      for (long offset = 0; offset < in.size(); offset++) {
        byte unit = in.bytes().get(offset);
        if (unit < 0 || Character.isLetterOrDigit(unit)) { // below zero: of a longer character
          text.write(unit);
        } else {
          send(text); // a word may go on in the next water, so it ends at a gap and not at the end
        }
      }
    }

    @Override
    public void finish(Stream out) {
      begun.values().forEach(this::send);
      for (int route = 0; route < batches.length; route++) {
        sendBatch(route);
      }
    }

    /// Sends what lies between two gaps: a word, or several if there is a dash between them, say.
    private void send(ByteArrayOutputStream text) {
      Matcher words = WORD.matcher(text.toString(StandardCharsets.UTF_8));
      while (words.find()) {
        int route = Math.floorMod(words.group().hashCode(), batches.length);
        batches[route].append(words.group()).append(' ');
        if (batches[route].length() >= BATCH_CHARACTERS) {
          sendBatch(route);
        }
      }
      text.reset();
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

  /// Counts the words that come in, and adds them to the result when all have come.
  private static final class Counter implements Module {
    private final Map<String, Long> result;
    private final Map<String, Long> own = new HashMap<>();

    Counter(Map<String, Long> result) {
      this.result = result;
    }

    @Override
    public void process(Water in, Stream out) {
      byte[] bytes = new byte[in.size()];
      in.bytes().copyTo(0, bytes, 0, bytes.length);
      for (String word : new String(bytes, StandardCharsets.UTF_8).split(" ", -1)) {
        if (!word.isEmpty()) {
          own.merge(word, 1L, Long::sum);
        }
      }
    }

    @Override
    public void finish(Stream out) {
      result.putAll(own);
    }
  }
}
