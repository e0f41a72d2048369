package dev.tigris.bench.net;

import com.sun.management.ThreadMXBean;
import dev.tigris.bench.fork.WhileInput;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;

/// The program of each process of a pair. Arguments: the transport, and `serve ADDRESS` or `measure
/// ADDRESS`.
///
/// ```text
///   serve     prints "listening ADDRESS"; ends with its standard input
///   measure   answers each line of its standard input by one on its standard output:
///     pingpong BYTES COUNT     MEDIAN_NANOS P999_NANOS ALLOCATED_BYTES
///     bandwidth BYTES COUNT    NANOS ALLOCATED_BYTES ALLOCATED_BYTES_OF_THE_PEER
/// ```
///
/// The twins in C have the same two command lines (`net.c`).
public final class WorkerMain {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private WorkerMain() {}

  /// Serves or measures; any exception ends the process with an error.
  public static void main(String[] args) throws Exception {
    if (args[1].equals("serve")) {
      WhileInput.run("serve", () -> serve(Transports.named(args[0]), args[2]));
    } else {
      measure(Transports.named(args[0]), args[2]);
    }
  }

  private static void serve(Transport transport, String address) throws Exception {
    System.out.println("listening " + transport.listen(address));
    transport.serve();
  }

  private static void measure(Transport transport, String address) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ", -1);
      int bytes = Integer.parseInt(words[1]);
      int count = Integer.parseInt(words[2]);
      if (words[0].equals("pingpong")) {
        Transport.RoundTrips trips = transport.pingPong(address, bytes, count);
        System.out.printf(
            "%d %d %d%n", trips.medianNanos(), trips.p999Nanos(), trips.allocatedBytes());
      } else {
        Transport.OneWay way = transport.bandwidth(address, bytes, count);
        System.out.printf(
            "%d %d %d%n", way.nanos(), way.allocatedBytes(), way.peerAllocatedBytes());
      }
    }
    transport.disconnect();
  }

  /// What the calling thread has allocated so far.
  static long allocatedBytes() {
    return THREADS.getCurrentThreadAllocatedBytes();
  }
}
