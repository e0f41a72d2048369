package dev.tigris.flow.mirror;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.Spring;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamException;
import dev.tigris.flow.StreamGroup;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A feed whose replicas read the segments of one data set.
final class MirrorFeed extends StreamGroup {
  private final Mirror mirror;

  MirrorFeed(Mirror mirror) {
    this.mirror = mirror;
  }

  @Override
  protected List<StreamKind> kinds(int replicas) {
    var run = new Run(mirror);
    List<StreamKind> kinds = new ArrayList<>();
    for (int i = 0; i < replicas; i++) {
      int first = i;
      kinds.add(place -> new SegmentStream(place, run, first, replicas));
    }
    return kinds;
  }

  /// The reading of one run, which its streams share.
  private static final class Run {
    private final Mirror mirror;
    private @Nullable MirrorEngine engine;
    private int users;

    Run(Mirror mirror) {
      this.mirror = mirror;
    }

    synchronized MirrorEngine open() throws IOException {
      MirrorEngine known = engine;
      if (known == null) {
        known = new MirrorEngine(mirror);
        engine = known;
      }
      users++;
      return known;
    }

    void close() {
      MirrorEngine last = null;
      synchronized (this) {
        users--;
        if (users == 0) {
          last = engine;
          engine = null;
        }
      }
      if (last != null) {
        last.close();
      }
    }
  }

  /// One replica's stream.
  private static final class SegmentStream extends Stream {
    private final Run run;
    private final SegmentReader reader;
    private final BufferSpring spring;
    private boolean disposed;

    SegmentStream(StreamKind.Place place, Run run, int first, int step) throws IOException {
      super(place.name(), place.window());
      this.run = run;
      this.spring = new BufferSpring(place.name());
      this.reader = new SegmentReader(run.open(), run.mirror.manifest(), first, step);
    }

    @Override
    public Spring spring() {
      return spring;
    }

    @Override
    public int outstanding() {
      return 0;
    }

    @Override
    public boolean isReady() {
      return !isDrained();
    }

    @Override
    public boolean isDrained() {
      return isStopped() || reader.isDrained();
    }

    @Override
    protected @Nullable Water receive() {
      if (isDrained()) {
        return null;
      }
      try {
        MemorySegment bytes = Objects.requireNonNull(reader.next());
        int size = (int) bytes.byteSize();
        Water water = spring.createWater(size);
        MemorySegment.copy(bytes, 0, water.bytes().segment(), 0, size);
        countReceived(size);
        return water;
      } catch (IOException e) {
        throw new StreamException("stream %s: %s".formatted(name(), e.getMessage()), e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StreamException("stream %s was interrupted".formatted(name()), e);
      }
    }

    @Override
    protected boolean canCarry(Water water) {
      return true;
    }

    @Override
    protected void send(Water water) {
      throw new IllegalStateException(
          "put on stream %s, which reads %s".formatted(name(), run.mirror));
    }

    @Override
    protected void sendEnd() {}

    @Override
    protected void release(Water water) {
      spring.takeBack(water);
    }

    @Override
    protected void leave(Water water) {}

    /// Others get its share from now on.
    @Override
    protected void detachReceiver() {
      reader.close();
    }

    @Override
    protected void dispose(boolean complete) {
      if (!disposed) {
        disposed = true;
        reader.close();
        spring.close();
        run.close();
      }
    }
  }
}
