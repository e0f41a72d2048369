package dev.tigris.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

/// An estimate from paired measurements: how many times better the subject is than its peer, with a
/// 95 % interval.
///
/// Everything is done on the logarithm of the ratio, so that 2x and 0.5x are equally far from 1. A
/// *unit* is the median of one process where at least [#ENOUGH_FORKS] processes ran, because what
/// differs between processes (memory layout, the order of compilation) does not average out within
/// one; otherwise each pair is a unit. From [#ENOUGH_UNITS] units on, the estimate is their median
/// and the interval a percentile bootstrap of it, which a few disturbed runs cannot move; with
/// fewer it is their mean and Student's t interval.
///
/// @param value the subject, consistent with `peerValue` and `times`
/// @param peerValue the peer
/// @param times how many times better the subject is
/// @param low lower end of the 95 % interval of `times`
/// @param high its upper end
/// @param spread standard deviation of the unit's log ratio: 0.04 means that units differ by about
///     4 %
/// @param samples how many pairs were taken, over all processes
public record Estimate(
    double value,
    double peerValue,
    double times,
    double low,
    double high,
    double spread,
    int samples) {

  static final int ENOUGH_FORKS = 4;
  static final int ENOUGH_UNITS = 6;
  private static final int RESAMPLES = 4_000;

  /// 97.5 % quantiles of Student's t for 1 to 5 degrees of freedom: more never occur, see
  /// [#ENOUGH_UNITS].
  private static final double[] STUDENT = {12.706, 4.303, 3.182, 2.776, 2.571};

  /// The estimate that `forks`, one element a process, give.
  public static Estimate of(Better better, List<Pairs> forks) {
    if (forks.isEmpty()) {
      throw new IllegalArgumentException("nothing was measured");
    }
    double[][] logs = forks.stream().map(pairs -> logTimes(better, pairs)).toArray(double[][]::new);
    double[] units =
        forks.size() >= ENOUGH_FORKS
            ? Arrays.stream(logs).mapToDouble(Estimate::median).toArray()
            : Arrays.stream(logs).flatMapToDouble(Arrays::stream).toArray();
    double[] interval = units.length >= ENOUGH_UNITS ? bootstrap(units) : student(units);
    double times = Math.exp(interval[1]);
    double peer = median(forks.stream().mapToDouble(Pairs::medianPeer).toArray());
    double value = better == Better.LOWER ? peer / times : peer * times;
    int samples = forks.stream().mapToInt(Pairs::count).sum();
    return new Estimate(
        value,
        peer,
        times,
        Math.exp(interval[0]),
        Math.exp(interval[2]),
        deviation(units),
        samples);
  }

  private static double[] logTimes(Better better, Pairs pairs) {
    double[] logs = new double[pairs.count()];
    for (int i = 0; i < logs.length; i++) {
      logs[i] = Math.log(better.times(pairs.subject(i), pairs.peer(i)));
    }
    return logs;
  }

  /// Low, centre and high.
  private static double[] bootstrap(double[] units) {
    Random random = new Random(units.length); // the same data always give the same interval
    double[] medians = new double[RESAMPLES];
    double[] resample = new double[units.length];
    for (int i = 0; i < RESAMPLES; i++) {
      for (int j = 0; j < resample.length; j++) {
        resample[j] = units[random.nextInt(units.length)];
      }
      medians[i] = median(resample);
    }
    Arrays.sort(medians);
    return new double[] {
      medians[(int) (RESAMPLES * 0.025)], median(units), medians[(int) (RESAMPLES * 0.975)]
    };
  }

  /// Low, centre and high; one unit alone has no interval.
  private static double[] student(double[] units) {
    double mean = Arrays.stream(units).average().orElseThrow();
    double half =
        units.length == 1
            ? 0
            : STUDENT[units.length - 2] * deviation(units) / Math.sqrt(units.length);
    return new double[] {mean - half, mean, mean + half};
  }

  static double deviation(double[] values) {
    if (values.length < 2) {
      return 0;
    }
    double mean = Arrays.stream(values).average().orElseThrow();
    double squares = Arrays.stream(values).map(value -> (value - mean) * (value - mean)).sum();
    return Math.sqrt(squares / (values.length - 1));
  }

  /// The middle value, or the mean of the two in the middle.
  public static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
