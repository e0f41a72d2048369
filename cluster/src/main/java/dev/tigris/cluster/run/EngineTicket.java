package dev.tigris.cluster.run;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/// Lets the workers of one attempt in: it says where the coordinator is, and has the secret by
/// which that knows them. A [HostEngine] brings its bytes to each worker.
///
/// Whoever reads it can be a worker of the run. Its text tells nothing secret.
public final class EngineTicket {
  // Facts of the attempt, besides those of a Contact.
  static final String RUN = "run";
  static final String ATTEMPT = "attempt";
  static final String FOLDER = "folder";
  static final String TIME = "time";
  static final String PROGRAM = "program";
  static final String COORDINATOR = "coordinator";

  private final Map<String, String> facts;

  EngineTicket(Map<String, String> facts) {
    this.facts = new TreeMap<>(facts);
  }

  /// Reads what [#bytes] returns.
  ///
  /// @throws IOException if it is something else
  public static EngineTicket of(byte[] bytes) throws IOException {
    try (DataInputStream in = Frame.reading(bytes)) {
      Map<String, String> facts = new TreeMap<>();
      for (int left = in.readInt(); left > 0; left--) {
        String name = Wire.readText(in);
        facts.put(name, Wire.readText(in));
      }
      return new EngineTicket(facts);
    }
  }

  /// Returns it for another process.
  public byte[] bytes() {
    return Frame.bytes(
        out -> {
          out.writeInt(facts.size());
          for (var fact : facts.entrySet()) {
            Wire.writeText(out, fact.getKey());
            Wire.writeText(out, fact.getValue());
          }
        });
  }

  /// Returns the name of the run.
  public String run() {
    return facts.getOrDefault(RUN, "");
  }

  /// Returns which attempt it is for, from 1.
  public int attempt() {
    return Integer.parseInt(facts.getOrDefault(ATTEMPT, "0"));
  }

  Map<String, String> facts() {
    return new TreeMap<>(facts);
  }

  @Override
  public String toString() {
    return "EngineTicket[run %s, attempt %d]".formatted(run(), attempt());
  }
}
