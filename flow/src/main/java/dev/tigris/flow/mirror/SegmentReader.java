package dev.tigris.flow.mirror;

import dev.tigris.flow.FileTime;
import dev.tigris.flow.mirror.MirrorEngine.Client;
import dev.tigris.flow.mirror.MirrorEngine.Ticket;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// Reads the blocks of one or several segments in order, each block once.
///
/// It asks for some blocks ahead, as many as hide a disk that is ten times slower than others, and
/// says with each how much of its segments it has.
///
/// Thread rule: one thread.
final class SegmentReader implements AutoCloseable {
  private static final int WINDOW = 32;
  private static final long MOST_BYTES = 32 << 20;
  private static final int LEAST_WINDOW = 4;

  private final MirrorEngine engine;
  private final Manifest manifest;
  private final Client client;
  private final int step;
  private final int window;
  private final long allBlocks;
  private final Deque<Ticket> wanted = new ArrayDeque<>();
  private @Nullable Ticket lent;
  private int segment;
  private long block;
  private long taken;

  /// Reads the segments `first`, `first + step`, and so on.
  SegmentReader(MirrorEngine engine, Manifest manifest, int first, int step) {
    this.engine = engine;
    this.manifest = manifest;
    this.client = engine.addClient();
    this.step = step;
    this.segment = first;
    this.window =
        (int) Math.clamp(MOST_BYTES / manifest.blockBytes(), (long) LEAST_WINDOW, (long) WINDOW);
    long blocks = 0;
    for (int each = first; each < manifest.segments().size(); each += step) {
      blocks += manifest.blocks(each);
    }
    allBlocks = blocks;
  }

  boolean isDrained() {
    return taken == allBlocks;
  }

  /// Returns how much of its segments it has taken, from 0 to 1.
  double progress() {
    return allBlocks == 0 ? 1 : (double) taken / allBlocks;
  }

  /// Returns the next block, which is the caller's until the next call; null at the end.
  @Nullable MemorySegment next() throws IOException, InterruptedException {
    giveBack();
    while (wanted.size() < window && segment < manifest.segments().size()) {
      if (block < manifest.blocks(segment)) {
        wanted.add(engine.want(client, segment, block, progress()));
        block++;
      } else {
        segment += step;
        block = 0;
      }
    }
    Ticket first = wanted.peek();
    if (first == null) {
      return null;
    }
    MemorySegment bytes = await(first);
    wanted.remove();
    lent = first;
    taken++;
    return bytes;
  }

  /// Waits for the engine's thread, which reads.
  private MemorySegment await(Ticket ticket) throws IOException, InterruptedException {
    try (FileTime _ = FileTime.begin()) {
      return engine.await(ticket);
    }
  }

  private void giveBack() {
    if (lent != null) {
      engine.release(lent);
      lent = null;
    }
  }

  /// Ends it, early or not: other readers get its share.
  @Override
  public void close() {
    giveBack();
    engine.end(client);
    wanted.forEach(engine::release);
    wanted.clear();
  }
}
