package dev.tigris.flow.policy;

import java.util.random.RandomGenerator;

/// Chooses the stream on which one more water is expected to be finished first.
///
/// With `q` waters outstanding on a stream whose consumer finishes one in `s` nanoseconds, one more
/// is finished after about `(q + 1) * s`; the stream with the smallest such time wins, and among
/// equals chance decides. A stream of which nothing is known yet is taken to be as fast as the
/// fastest, so that it is tried. Because every stream's expected time grows with what is sent on
/// it, a slow consumer is still sent to as soon as the fast ones have a backlog: it is never idle
/// while others have work waiting, and its recovery is noticed.
///
/// Credits outstanding are the requests in flight that other balancers measure on purpose; they
/// react at once, while the service time remembers.
enum LeastOutstanding implements Policy {
  LEAST_OUTSTANDING;

  @Override
  public int choose(SenderView view, RandomGenerator random) {
    int streams = view.streams();
    long fastest = 0;
    int best = WAIT;
    double shortest = Double.MAX_VALUE;
    int equals = 0;
    for (int stream = 0; stream < streams; stream++) {
      if (view.credits(stream) <= 0) {
        continue;
      }
      long nanos = view.serviceNanos(stream);
      if (nanos == 0) {
        fastest = fastest == 0 ? fastest(view) : fastest;
        nanos = fastest;
      }
      double wait = (view.outstanding(stream) + 1.0) * nanos;
      if (wait < shortest) {
        shortest = wait;
        best = stream;
        equals = 1;
      } else if (wait == shortest && random.nextInt(++equals) == 0) {
        best = stream;
      }
    }
    return best;
  }

  /// Returns the shortest service time that is known, at least 1.
  private static long fastest(SenderView view) {
    long fastest = Long.MAX_VALUE;
    for (int stream = 0; stream < view.streams(); stream++) {
      long nanos = view.serviceNanos(stream);
      if (nanos > 0 && view.isOpen(stream)) {
        fastest = Math.min(fastest, nanos);
      }
    }
    return fastest == Long.MAX_VALUE ? 1 : fastest;
  }
}
