package dev.tigris.cluster.run;

import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.Tap;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The copies of a reservoir's waters that each process of a run is to send, and where to: a
/// [TapReader] listens there.
///
/// @param reservoir the name of a reservoir or a drain
/// @param terms what is copied
/// @param perSecond how many waters of each sender are copied in a second at most; 0 for all
/// @param address `HOST:PORT` of the listener
/// @param token says to the listener that the copies are for it
/// @param key by which both sides know each other between hosts, as [TapReader#key] tells it; empty
///     for a listener on the process's own host
public record TapOrder(
    String reservoir, Tap.Terms terms, int perSecond, String address, String token, String key) {
  private static final int MOST_PER_SECOND = 1_000_000;

  /// Makes the order of a listener on this host.
  public TapOrder(String reservoir, Tap.Terms terms, int perSecond, String address, String token) {
    this(reservoir, terms, perSecond, address, token, "");
  }

  /// Checks the numbers.
  public TapOrder {
    if (perSecond < 0 || perSecond > MOST_PER_SECOND) {
      throw new IllegalArgumentException(
          "%d copies a second: a tap has 0 to %d".formatted(perSecond, MOST_PER_SECOND));
    }
    if (terms.isGranted() != (perSecond > 0)) {
      throw new IllegalArgumentException("copies are granted if they are so many a second");
    }
  }

  /// Returns why a flow cannot be tapped like this; null if it can.
  @Nullable String refusal(FlowGraph graph) {
    List<String> names =
        Stream.concat(
                graph.edges().stream().map(FlowGraph.Edge::reservoir),
                graph.drains().stream().map(drain -> drain.name()))
            .distinct()
            .toList();
    return names.contains(reservoir)
        ? null
        : "there is no reservoir '%s': there are %s".formatted(reservoir, names);
  }

  void write(DataOutputStream out) throws IOException {
    Wire.writeText(out, reservoir);
    out.writeInt(terms.mostBytes());
    out.writeInt(terms.window());
    out.writeBoolean(terms.blocks());
    out.writeInt(terms.part());
    out.writeInt(terms.parts());
    out.writeInt(perSecond);
    Wire.writeText(out, address);
    Wire.writeText(out, token);
    Wire.writeText(out, key);
  }

  static TapOrder read(DataInputStream in) throws IOException {
    String reservoir = Wire.readText(in);
    int most = in.readInt();
    int window = in.readInt();
    boolean blocks = in.readBoolean();
    int part = in.readInt();
    int parts = in.readInt();
    int perSecond = in.readInt();
    Tap.Terms terms = new Tap.Terms(most, window, blocks, perSecond > 0, part, parts);
    return new TapOrder(
        reservoir, terms, perSecond, Wire.readText(in), Wire.readText(in), Wire.readText(in));
  }
}
