package dev.tigris.bench;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A measured figure beside a peer that was measured in the same run: a line of the results.
///
/// @param figure its name, dotted, from the general to the special
/// @param value what Tigris does
/// @param unit of `value` and `peerValue`
/// @param better which direction is better
/// @param peer what it is compared with; `ideal` where `times` is the share of an ideal reached
/// @param peerValue what the peer does
/// @param times how many times better than the peer, whatever the direction
/// @param spread standard deviation of the log ratio between runs (or processes)
/// @param ci95 95 % interval of `times`, or null where only one run makes sense
/// @param samples pairs taken
/// @param forks processes they were taken in
/// @param note what a reader must know besides, or null
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonPropertyOrder({
  "figure",
  "value",
  "unit",
  "better",
  "peer",
  "peerValue",
  "times",
  "spread",
  "ci95",
  "samples",
  "forks",
  "note"
})
public record Figure(
    String figure,
    double value,
    String unit,
    Better better,
    String peer,
    double peerValue,
    double times,
    double spread,
    @Nullable List<Double> ci95,
    int samples,
    int forks,
    @Nullable String note) {

  /// A figure from paired measurements, one element of `forks` a process.
  public static Figure of(
      String figure, String unit, Better better, String peer, List<Pairs> forks) {
    Estimate estimate = Estimate.of(better, forks);
    return new Figure(
        figure,
        rounded(estimate.value()),
        unit,
        better,
        peer,
        rounded(estimate.peerValue()),
        rounded(estimate.times()),
        rounded(estimate.spread()),
        estimate.samples() < 2 ? null : List.of(rounded(estimate.low()), rounded(estimate.high())),
        estimate.samples(),
        forks.size(),
        null);
  }

  /// A figure measured once, or counted.
  public static Figure once(
      String figure, double value, String unit, Better better, String peer, double peerValue) {
    double times = value == peerValue ? 1 : better.times(value, peerValue);
    return new Figure(
        figure,
        rounded(value),
        unit,
        better,
        peer,
        rounded(peerValue),
        rounded(times),
        0,
        null,
        1,
        1,
        null);
  }

  /// Returns a copy with a note.
  public Figure withNote(String text) {
    return new Figure(
        figure, value, unit, better, peer, peerValue, times, spread, ci95, samples, forks, text);
  }

  /// Four significant digits: more would claim what no machine here can measure.
  static double rounded(double value) {
    if (value == 0 || !Double.isFinite(value)) {
      return value;
    }
    double scale = Math.pow(10, 3 - Math.floor(Math.log10(Math.abs(value))));
    return Math.round(value * scale) / scale;
  }
}
