package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class QuantityTest {
  @ParameterizedTest
  @CsvSource({
    "0,0",
    "1000000,1000000",
    "1_000_000,1000000",
    "1M,1000000",
    "2k,2000",
    "1.5m,1500000"
  })
  void readsCounts(String text, long count) throws Exception {
    assertEquals(count, Quantity.COUNT.convert(text));
  }

  @ParameterizedTest
  @CsvSource({
    "512m,536870912",
    "2g,2147483648",
    "2GB,2147483648",
    "1.5g,1610612736",
    "1GiB,1073741824",
    "4096,4096"
  })
  void readsSizes(String text, long bytes) throws Exception {
    assertEquals(bytes, Quantity.BYTES.convert(text));
    assertEquals(bytes, Quantity.MEMORY.convert(text));
  }

  @Test
  void roundsMemoryDown() throws Exception {
    assertEquals(1024, Quantity.MEMORY.convert("1.0001k"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "x", "-1", "1.5", "1e6", "10b", "1 M", "9999999999999999999", "_1", "1_"})
  void refusesWhatIsNoCount(String text) {
    assertThrows(TypeConversionException.class, () -> Quantity.COUNT.convert(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "lots", "-1m", "1gg", "9999999t", "m", "1.9", "0.1k"})
  void refusesWhatIsNoSize(String text) {
    assertThrows(TypeConversionException.class, () -> Quantity.BYTES.convert(text));
  }
}
