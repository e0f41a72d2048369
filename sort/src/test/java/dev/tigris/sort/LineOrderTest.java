package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Tier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Orders of lines against GNU sort.
@EveryTier("cases: 300, 1,000, 100,000")
class LineOrderTest {
  private static final int CASES = Integer.getInteger("cases", Tier.choose(300, 1_000, 100_000));

  @TempDir Path folder;

  @Test
  void sortsAsGnuSortDoes() throws Exception {
    long first = Long.getLong("seed", System.nanoTime());
    int tried = 0;
    for (int i = 0; i < CASES; i++) {
      long seed = first + i;
      LineCases.Case given;
      try {
        given = new LineCases(seed).next();
      } catch (IllegalArgumentException contradiction) {
        continue;
      }
      tried++;
      requireAsGnuSortDoes(given, "seed " + seed);
    }
    assertTrue(2 * tried >= CASES, tried + " cases were tried, and others refused");
  }

  @Test
  void refusesMoreKeysThanItCompares() {
    LineOrder.Builder builder = LineOrder.builder();
    for (int i = 1; i <= 126; i++) {
      builder.key("%1$d,%1$d".formatted(i));
    }
    assertNotNull(builder.build());
    builder.key("127,127");
    builder.key("128,128");
    assertThrows(IllegalArgumentException.class, builder::build);
  }

  /// The examples of GNU's manual.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "-n -r",
        "-k 3b",
        "-t : -k 2,2n -k 5.3,5.4",
        "-t : -k 5b,5 -k 3,3n",
        "-t : -n -k 5b,5 -k 3,3",
        "-t : -b -k 5,5 -k 3,3n",
        "-z -f",
        "-s -t . -k 1,1n -k 2,2n -k 3,3n -k 4,4n",
        "-k 4.9n -k 4.5M -k 4.2n -k 4.14,4.21",
        "-h",
        "-V",
        "-k 2,2 -u",
      })
  void sortsAsTheExamplesOfGnuSortDo(String line) throws Exception {
    List<String> arguments = List.of(line.split(" ", -1));
    var order = LineOrder.builder();
    for (int i = 0; i < arguments.size(); i++) {
      switch (arguments.get(i)) {
        case "-k" -> order.key(arguments.get(++i));
        case "-t" -> order.separator(arguments.get(++i).charAt(0));
        case "-s" -> order.stable();
        case "-u" -> order.unique();
        case "-z" -> order.zeroTerminated();
        default -> order.options(arguments.get(i).substring(1));
      }
    }
    byte[] text = text(arguments.contains("-z") ? '\0' : '\n');
    requireAsGnuSortDoes(new LineCases.Case(text, arguments, order.build()), line);
  }

  /// Users, addresses and lines of a log.
  private static byte[] text(char end) {
    var random = new Random(17);
    var text = new StringBuilder();
    for (int i = 0; i < 200; i++) {
      switch (i % 4) {
        case 0 -> text.append("user%d:%d:%d:x: Name %d:/home".formatted(i, i % 7, i % 50, i % 20));
        case 1 ->
            text.append("%d.%d.10.%d".formatted(random.nextInt(256), i % 3, random.nextInt(256)));
        case 2 ->
            text.append("4.150.156.3 - - [%02d/".formatted(1 + i % 28))
                .append(List.of("Apr", "jan", "Dec", "Nov").get(i / 4 % 4))
                .append("/2004:06:%02d:11 +0000] message %d".formatted(i % 60, i % 5));
        default ->
            text.append(random.nextInt(2000))
                .append("KMG".charAt(i % 3))
                .append(" file-1.")
                .append(i);
      }
      text.append(end);
    }
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private void requireAsGnuSortDoes(LineCases.Case given, String name) throws Exception {
    LineText text = new LineText(given.order(), 16);
    byte[] whole = terminated(given.text(), given.order().rows().delimiter());
    int at = text.grow(whole.length);
    System.arraycopy(whole, 0, text.text(), at, whole.length);
    boolean _ = text.findLines(Integer.MAX_VALUE);
    int length = text.sort();
    assertArrayEquals(
        LineCases.gnuSort(given, folder),
        Arrays.copyOf(text.sorted(), length),
        () -> name + ": sort " + given.arguments());
  }

  private static byte[] terminated(byte[] text, byte delimiter) {
    if (text.length == 0 || text[text.length - 1] == delimiter) {
      return text;
    }
    byte[] whole = Arrays.copyOf(text, text.length + 1);
    whole[text.length] = delimiter;
    return whole;
  }
}
