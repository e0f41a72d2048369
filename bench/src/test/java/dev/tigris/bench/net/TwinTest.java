package dev.tigris.bench.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.bench.c.CProgram;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.VirtualInterface;
import dev.tigris.testing.Slow;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A twin is only a fair peer if it does the same: it has to understand what Tigris sends.
class TwinTest {
  @TempDir private Path folder;

  private static List<String> tigris(Wire wire) {
    return Transports.command(Transports.tigris(Messages.Kind.BUFFERS, wire.provider()));
  }

  private static Wire wire(String name) {
    Wire wire =
        switch (name) {
          case "shm" -> Wire.shm();
          case "uring" -> Wire.uring();
          case "libfabric" -> Wire.libfabric();
          case "libfabric-rdm" -> Wire.libfabricRdm();
          default -> Wire.tcp();
        };
    assumeTrue(wire.obstacle().isEmpty(), () -> wire.obstacle().orElse(""));
    return wire;
  }

  private CProgram twin(Wire wire) throws IOException {
    assumeTrue(wire.twin().missing().isEmpty(), () -> wire.twin().missing().orElse(""));
    return wire.compileTwin(folder);
  }

  private void exchange(Wire wire, List<String> server, List<String> client) throws Exception {
    String address = wire.address().formatted("127.0.0.1");
    try (Place place = Place.host(folder);
        ProcessPair duo = ProcessPair.start("twins", server, client, address, place)) {
      for (int bytes : new int[] {4, 112, 116, 32 << 10, (32 << 10) + 4, 1 << 20}) {
        assertTrue(duo.pingPong(bytes, 20).medianNanos() > 0);
        assertTrue(duo.bandwidth(bytes, 100).nanosPerMessage() > 0);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"shm", "tcp"})
  void theTwinServesTigris(String name) throws Exception {
    serve(wire(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"uring", "libfabric", "libfabric-rdm"})
  @Slow("of five twins, two are tried in the quick tier")
  void theTwinServesTigrisOverOtherWires(String name) throws Exception {
    serve(wire(name));
  }

  private void serve(Wire wire) throws Exception {
    try (CProgram twin = twin(wire)) {
      exchange(wire, List.of(twin.file().toString()), tigris(wire));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"shm", "tcp"})
  void tigrisServesTheTwin(String name) throws Exception {
    beServed(wire(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"uring", "libfabric", "libfabric-rdm"})
  @Slow("of five twins, two are tried in the quick tier")
  void tigrisServesTheTwinOverOtherWires(String name) throws Exception {
    beServed(wire(name));
  }

  private void beServed(Wire wire) throws Exception {
    try (CProgram twin = twin(wire)) {
      exchange(wire, tigris(wire), List.of(twin.file().toString()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"shm", "tcp", "uring", "libfabric", "libfabric-rdm"})
  void aWireSaysWhetherItsProviderTakesArrays(String name) throws Exception {
    Wire wire = wire(name);
    Duration patience = Duration.ofSeconds(20);
    try (Fabric fabric = Fabric.open(wire.provider());
        Listener listener = fabric.listen(wire.address().formatted("127.0.0.1"))) {
      FutureTask<Boolean> accepting =
          new FutureTask<>(
              () -> {
                try (CompletionQueue queue = fabric.completionQueue();
                    VirtualInterface link =
                        Objects.requireNonNull(listener.next(patience))
                            .accept(queue, Attributes.DEFAULT)) {
                  return link.takesArrays();
                }
              });
      Thread.ofPlatform().daemon().start(accepting);
      try (CompletionQueue queue = fabric.completionQueue();
          VirtualInterface link =
              fabric.connect(listener.address(), 1, queue, Attributes.DEFAULT, patience).get()) {
        assertEquals(wire.takesArrays(), link.takesArrays());
      }
      assertEquals(wire.takesArrays(), accepting.get());
    }
  }

  @Test
  void aContestantThatDiesIsAnErrorThatSaysWhy() throws Exception {
    try (Place place = Place.host(folder)) {
      List<String> noSuchTransport = Transports.command("carrier pigeons");

      IOException error =
          assertThrows(
              IOException.class,
              () -> ProcessPair.start("pigeons", noSuchTransport, "127.0.0.1:0", place));

      assertTrue(error.getMessage().contains("carrier pigeons"), error.getMessage());
    }
  }

  @Test
  void aNamespaceHasItsOwnLoopback() throws Exception {
    assumeTrue(Place.namespaceObstacle().isEmpty(), () -> Place.namespaceObstacle().orElse(""));
    try (Place place = Place.loopback(folder);
        ProcessPair duo =
            ProcessPair.start("Tigris", tigris(Wire.tcp()), place.address() + ":0", place)) {
      assertTrue(duo.pingPong(64, 20).medianNanos() > 0);
      assertEquals("loopback, reno", place.note());
    }
  }
}
