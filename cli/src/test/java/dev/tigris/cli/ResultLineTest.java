package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.Locale;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class ResultLineTest {
  @Test
  void saysWhatWasDoneAndHowFast() {
    var line = new ResultLine("sort", "sorted", 10_000_000, 1_000_000_000, Duration.ofMillis(1996));
    assertEquals(
        "sorted 10,000,000 records, 1,000,000,000 bytes, in 2.00 s: 501.0 MB/s, checksum 4c4e",
        line.sentence("4c4e"));
  }

  @Test
  void saysNothingOfAChecksumThatThereIsNot() {
    var line = new ResultLine("gen", "generated", 0, 0, Duration.ZERO);
    assertEquals("generated 0 records, 0 bytes, in 0.00 s: 0.0 MB/s", line.sentence(null));
  }

  @Property
  void writesNumbersAsTheFormatterDoes(
      @ForAll @LongRange(min = 0) long records,
      @ForAll @LongRange(min = 0, max = 1L << 50) long bytes,
      @ForAll @LongRange(min = 1_000_000, max = 1L << 50) long nanos) {
    double seconds = Math.round(nanos / 1e9 * 100) / 100.0; // the JDK rounds from decimal digits
    double rate = Math.round(bytes / 1e6 / (nanos / 1e9) * 10) / 10.0;
    assertEquals(
        String.format(
            Locale.ROOT,
            "did %,d records, %,d bytes, in %.2f s: %.1f MB/s",
            records,
            bytes,
            seconds,
            rate),
        new ResultLine("do", "did", records, bytes, Duration.ofNanos(nanos)).sentence(null));
  }
}
