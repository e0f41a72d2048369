package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Tier;
import dev.tigris.testing.process.Command;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Merging and checking lines, against GNU sort.
@EveryTier("cases: 60, 300, 20,000")
class LineMergeTest {
  private static final int CASES = Tier.choose(60, 300, 20_000);

  @TempDir Path folder;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static LineSortJob merge(LineOrder order, List<Path> inputs) {
    LineSortJob job = LineSortJob.of(order).merging();
    for (Path input : inputs) {
      job = job.input(SortInput.file(input));
    }
    return job;
  }

  @Test
  void mergesAsGnuSortDoes() throws Exception {
    long first = Long.getLong("seed", System.nanoTime());
    for (int i = 0; i < CASES; i++) {
      long seed = first + i;
      List<LineCases.Case> parts = new ArrayList<>();
      try {
        parts.addAll(new LineCases(seed).parts(1 + i % 4));
      } catch (IllegalArgumentException contradiction) {
        continue;
      }
      LineCases.Case given = parts.getFirst();
      List<Path> inputs = new ArrayList<>();
      List<String> command = new ArrayList<>(given.arguments());
      command.add("-m");
      for (int part = 0; part < parts.size(); part++) {
        byte[] sorted = LineCases.gnuSort(parts.get(part), folder);
        inputs.add(Files.write(folder.resolve("part-" + part), sorted));
        command.add(inputs.getLast().toString());
      }
      var merged = new ByteArrayOutputStream();
      merge(given.order(), inputs).run(merged);
      assertArrayEquals(
          LineCases.gnuSort(command, folder),
          merged.toByteArray(),
          () -> "seed " + seed + ": sort " + command);
    }
  }

  @Test
  void findsTheFirstDisorderThatGnuSortFinds() throws Exception {
    long first = Long.getLong("seed", System.nanoTime());
    for (int i = 0; i < CASES; i++) {
      long seed = first + i;
      LineCases.Case given;
      try {
        given = new LineCases(seed).next();
      } catch (IllegalArgumentException contradiction) {
        continue;
      }
      byte[] text = i % 3 == 0 ? LineCases.gnuSort(given, folder) : given.text();
      Path file = Files.write(folder.resolve("text"), text);
      List<String> words = new ArrayList<>(List.of("sort", "-c"));
      words.addAll(given.arguments());
      words.add(file.toString());
      String said = Command.of(words).environment("LC_ALL", "C").start().outcome().output();
      LineCheckJob.Disorder found =
          LineCheckJob.of(given.order()).input(SortInput.file(file)).untilFirst().run().first();
      String expected =
          found == null ? "" : "sort: %s:%d: disorder: ".formatted(file, found.number());
      assertEquals(
          expected,
          said.substring(0, Math.min(said.length(), expected.length() + (found == null ? 1 : 0))),
          () -> "seed " + seed + ": " + words + " said " + said);
    }
  }

  @Test
  void mergesRowsAndKeepsTheirHeader() throws Exception {
    Path one = Files.writeString(folder.resolve("one"), "k,v\n1,a\n3,\"x\ny\"\n");
    Path other = Files.writeString(folder.resolve("other"), "k,v\n2,b\n10,c\n");
    LineOrder order = LineOrder.builder().csv().column("k", "n").build();
    Path output = folder.resolve("merged.csv");
    LineSortJob.Result result = merge(order, List.of(one, other)).unforced().run(output);
    assertEquals("k,v\n1,a\n2,b\n3,\"x\ny\"\n10,c\n", Files.readString(output));
    assertEquals(4, result.lines());
    Path wrong = Files.writeString(folder.resolve("wrong"), "v,k\n1,a\n");
    assertThrows(SortException.class, () -> merge(order, List.of(one, wrong)).run(output));
  }

  @Test
  void refusesToMergeWhatIsNotInOrder() throws Exception {
    Path input = Files.writeString(folder.resolve("input"), "b\nc\na\n");
    SortException refused =
        assertThrows(
            SortException.class,
            () -> merge(LineOrder.bytes(), List.of(input)).run(folder.resolve("out")));
    assertEquals(SortException.Kind.INPUT, refused.kind());
    assertTrue(refused.getMessage().startsWith("line 3 of "), refused.getMessage());
    assertEquals(false, Files.exists(folder.resolve("out")));
  }

  @Test
  void mergesLinesThatAreLongerThanItsBuffers() throws Exception {
    byte[] text = new byte[600_000];
    Arrays.fill(text, (byte) 'a');
    text[500_000] = '\n';
    Path one = Files.write(folder.resolve("one"), text);
    Path other = Files.writeString(folder.resolve("other"), "b\n");
    var merged = new ByteArrayOutputStream();
    // What ends first comes first: the shorter one of those lines.
    SortException refused =
        assertThrows(
            SortException.class,
            () -> merge(LineOrder.bytes(), List.of(one, other)).memory(4 << 20).run(merged));
    assertTrue(refused.getMessage().startsWith("line 2 of "), refused.getMessage());
    merged.reset();
    merge(LineOrder.builder().options("r").build(), List.of(other, one))
        .memory(4 << 20)
        .run(merged);
    assertEquals(600_000 + 1 + 2, merged.size());
  }

  @Test
  void checksSeveralInputsAsOne() throws Exception {
    LineCheckJob job = LineCheckJob.of(LineOrder.bytes());
    LineCheckJob.Result found =
        job.input(SortInput.stream("one", new ByteArrayInputStream(bytes("a\nb\n"))))
            .input(SortInput.stream("other", new ByteArrayInputStream(bytes("b\na\nc"))))
            .run();
    assertEquals(5, found.lines());
    assertEquals(1, found.duplicates());
    assertEquals(1, found.unordered());
    assertEquals(new LineCheckJob.Disorder("other", 2, "a"), assertNotNullAndGet(found.first()));
    assertNull(job.run().first());
  }

  private static LineCheckJob.Disorder assertNotNullAndGet(LineCheckJob.Disorder found) {
    assertNotNull(found);
    return found;
  }
}
