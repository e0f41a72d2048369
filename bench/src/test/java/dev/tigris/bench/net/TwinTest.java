package dev.tigris.bench.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.bench.c.CProgram;
import dev.tigris.bench.c.CTwin;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A twin is only a fair peer if it does the same: it has to understand what Tigris sends.
class TwinTest {
  private static final List<String> TIGRIS = Transports.command(Transports.tigris("tcp"));

  private static CProgram twin() throws IOException {
    assumeTrue(CTwin.isAvailable(), "gcc is missing: install gcc and libc6-dev");
    return CProgram.compile(List.of("net.h", "net.c", "net_tcp.c"), List.of("-pthread"));
  }

  private static void exchange(List<String> server, List<String> client) throws Exception {
    try (Place place = Place.host();
        Duo duo = Duo.start("twins", server, client, "127.0.0.1:0", place)) {
      for (int bytes : new int[] {4, 32 << 10, (32 << 10) + 4, 1 << 20}) {
        assertTrue(duo.pingPong(bytes, 20).medianNanos() > 0);
        assertTrue(duo.bandwidth(bytes, 100).nanosPerMessage() > 0);
      }
    }
  }

  @Test
  void theTwinOfTcpServesTigris() throws Exception {
    try (CProgram twin = twin()) {
      exchange(List.of(twin.file().toString()), TIGRIS);
    }
  }

  @Test
  void tigrisServesTheTwinOfTcp() throws Exception {
    try (CProgram twin = twin()) {
      exchange(TIGRIS, List.of(twin.file().toString()));
    }
  }

  @Test
  void aContestantThatDiesIsAnErrorThatSaysWhy() throws Exception {
    try (Place place = Place.host()) {
      List<String> noSuchTransport = Transports.command("carrier pigeons");

      IOException error =
          assertThrows(
              IOException.class, () -> Duo.start("pigeons", noSuchTransport, "127.0.0.1:0", place));

      assertTrue(error.getMessage().contains("carrier pigeons"), error.getMessage());
    }
  }

  @Test
  void aNamespaceHasItsOwnLoopback() throws Exception {
    assumeTrue(Place.namespaceObstacle().isEmpty(), () -> Place.namespaceObstacle().orElse(""));
    try (Place place = Place.loopback();
        Duo duo = Duo.start("Tigris", TIGRIS, place.address() + ":0", place)) {
      assertTrue(duo.pingPong(64, 20).medianNanos() > 0);
      assertEquals("loopback, reno", place.note());
    }
  }
}
