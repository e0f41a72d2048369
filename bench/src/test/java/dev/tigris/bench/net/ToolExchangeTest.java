package dev.tigris.bench.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/// What the tools of other libraries have said, as it is understood.
class ToolExchangeTest {
  private static final List<String> UCX =
      List.of(
          "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr",
          "20000,0.334,0.432,0.432,141.24,141.24,2314131,2000000");

  private static final List<String> FI_PINGPONG =
      List.of(
          "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec",
          "64      20k     =20k     2.4m        0.04s     61.93       1.03       0.97");

  private static ToolExchange.Test test(boolean pingPong) {
    return new ToolExchange.Test(pingPong, 64, 20_000);
  }

  private static ToolExchange.Ucx ucx() {
    return new ToolExchange.Ucx("UCX", ToolExchange.UcxKind.TAGGED_MESSAGES, "shm");
  }

  @Test
  void ucxSaysTheMedianOfHalfARoundTrip() {
    assertEquals(668, ucx().nanos(test(true), UCX), 1e-6);
  }

  @Test
  void ucxSaysHowManyMessagesASecondTakes() {
    assertEquals(500, ucx().nanos(test(false), UCX), 1e-6);
  }

  @Test
  void fiPingPongSaysHalfARoundTrip() {
    double nanos =
        new ToolExchange.FiPingPong("libfabric", "shm", "rdm").nanos(test(true), FI_PINGPONG);

    assertEquals(2060, nanos, 1e-6);
  }
}
