package dev.tigris.bench.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

  /// A tool of shell scripts, whose client says how many nanoseconds it took.
  ///
  /// @param server that serves
  /// @param client that measures
  private record Scripts(String server, String client) implements ToolExchange.Tool {
    @Override
    public String title() {
      return "scripts";
    }

    @Override
    public String program() {
      return "sh";
    }

    @Override
    public String fromPackage() {
      return "dash";
    }

    @Override
    public Map<String, String> environment(String device) {
      return Map.of();
    }

    @Override
    public List<String> serverArguments(int port, ToolExchange.Test test) {
      return List.of("-c", server);
    }

    @Override
    public List<String> clientArguments(int port, String address, ToolExchange.Test test) {
      return List.of("-c", client);
    }

    @Override
    public double nanos(ToolExchange.Test test, List<String> output) {
      return Double.parseDouble(output.getLast());
    }

    @Override
    public Contestant.Manner manner() {
      return Contestant.Manner.PING_PONG_TOOL;
    }

    double measured(Path folder) throws IOException, InterruptedException {
      try (Exchange exchange = contestant().starter().start(Place.host(folder))) {
        return exchange.pingPong(64, 10).medianNanos();
      }
    }
  }

  @Test
  void aToolThatFailsOnceIsStartedAnew(@TempDir Path folder) throws Exception {
    String files = folder.resolve("file").toString();
    String server =
        "if test -e %1$s.1; then touch %1$s.2; exec sleep 60; fi; touch %1$s.1".formatted(files);
    String client = "test -e %s.2 && echo 42".formatted(files);

    assertEquals(42, new Scripts(server, client).measured(folder));
  }

  @Test
  void aToolThatAlwaysFailsIsNamedWithWhatBothSidesSaid(@TempDir Path folder) {
    Scripts scripts = new Scripts("echo no port; exec sleep 60", "echo no server; exit 3");

    String message = assertThrows(IOException.class, () -> scripts.measured(folder)).getMessage();

    assertTrue(message.startsWith("scripts fails: "), message);
    assertTrue(message.contains("exit 3"), message);
    assertTrue(message.contains("no server"), message);
    assertTrue(message.contains("no port"), message);
  }
}
