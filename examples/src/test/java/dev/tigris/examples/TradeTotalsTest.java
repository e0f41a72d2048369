package dev.tigris.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TradeTotalsTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 100_000})
  void addsUpEveryTradeOnce(int trades) throws Exception {
    double expected = 0;
    for (int trade = 0; trade < trades; trade++) {
      expected += trade % 7 * 0.5;
    }
    assertEquals(expected, TradeTotals.of(trades, 3), 1e-6);
  }
}
