package dev.tigris.flow.testing;

import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.FlowSnapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Holds what the modules of a flow have seen, and how each of its parts has ended. The parts of
/// one JVM share a report. Those of other processes have reports of their own, which are added up.
///
/// Thread rule: any thread.
public final class PartReport {
  private long[] numbers = new long[64];
  private int size;
  private final Map<String, Long> counts = new TreeMap<>();

  /// By stream. Both of its ends may know how many of its waters were dropped.
  private final Map<String, Long> discards = new TreeMap<>();

  private final List<String> failures = new ArrayList<>();

  /// Makes an empty report.
  public PartReport() {}

  /// Notes a number that has arrived at its end.
  synchronized void collect(long number) {
    if (size == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * size);
    }
    numbers[size++] = number;
  }

  /// Counts something by its name.
  synchronized void count(String what) {
    long _ = counts.merge(what, 1L, Long::sum);
  }

  /// Waits until a part of the flow is over, and notes how it ended.
  public void await(FlowRun run) throws InterruptedException {
    String failure = null;
    try {
      run.await();
    } catch (FlowException e) {
      failure = String.valueOf(e.getMessage()).replace('\n', ' ');
    }
    synchronized (this) {
      if (failure != null) {
        failures.add(failure);
      }
      for (FlowSnapshot.Channel stream : run.snapshot().streams()) {
        long _ = discards.merge(stream.name(), stream.counters().discarded(), Math::max);
      }
    }
  }

  /// Returns the report as lines of text, for [#add]. The last one is empty.
  public synchronized List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      lines.add("number " + numbers[i]);
    }
    counts.forEach((what, count) -> lines.add("count " + count + " " + what));
    discards.forEach((stream, count) -> lines.add("discard " + count + " " + stream));
    failures.forEach(failure -> lines.add("failure 1 " + failure));
    lines.add("");
    return lines;
  }

  /// Adds a line of the report of another part.
  ///
  /// @throws IllegalArgumentException if it is none
  public synchronized void add(String line) {
    String[] words = line.split(" ", 3);
    long count = Long.parseLong(words[1]);
    switch (words[0]) {
      case "number" -> collect(count);
      case "count" -> counts.merge(words[2], count, Long::sum);
      case "discard" -> discards.merge(words[2], count, Math::max);
      case "failure" -> failures.add(words[2]);
      default -> throw new IllegalArgumentException("'%s' is no line of a report".formatted(line));
    }
  }

  /// Returns the numbers that have arrived, from the least one on.
  synchronized long[] sorted() {
    long[] all = Arrays.copyOf(numbers, size);
    Arrays.sort(all);
    return all;
  }

  synchronized long counted(String what) {
    return counts.getOrDefault(what, 0L);
  }

  synchronized long discarded() {
    return discards.values().stream().mapToLong(Long::longValue).sum();
  }

  synchronized List<String> failures() {
    return List.copyOf(failures);
  }
}
