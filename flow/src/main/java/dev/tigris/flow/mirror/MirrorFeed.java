package dev.tigris.flow.mirror;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamGroup;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import dev.tigris.flow.ends.FeedStream;
import dev.tigris.os.disk.FileHost;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
      kinds.add(new Kind(run, i, replicas));
    }
    return kinds;
  }

  /// A stream knows its share by its number, so replicas may be in several processes. Each process
  /// then keeps its own readers even.
  @Override
  protected boolean staysTogether() {
    return false;
  }

  /// The kind of one replica's stream. Its description tells data sets and their versions apart, so
  /// that the processes of a run read the same one.
  private record Kind(Run run, int first, int step) implements StreamKind {
    @Override
    public Stream open(Place place) throws IOException {
      return new FeedStream(place, new Segments(run, first, step));
    }

    @Override
    public String description() {
      return "the data set " + run.mirror.identity();
    }

    /// Returns the manifest on the host that has most copies of the replica's segments, of which a
    /// segment's first copy counts twice; nothing if no disk is another host's.
    @Override
    public List<Path> reads() {
      Manifest manifest = run.mirror.manifest();
      Map<String, Integer> copies = new LinkedHashMap<>();
      Map<String, Path> folders = new HashMap<>();
      for (int segment = first; segment < manifest.segments().size(); segment += step) {
        int weight = 2;
        for (int disk : manifest.segments().get(segment).disks()) {
          Path folder = manifest.disks().get(disk);
          if (FileHost.isElsewhere(folder)) {
            int _ = copies.merge(FileHost.hostOf(folder), weight, Integer::sum);
            folders.putIfAbsent(FileHost.hostOf(folder), folder);
          }
          weight = 1;
        }
      }
      return copies.entrySet().stream()
          .max(Map.Entry.comparingByValue())
          .map(most -> Objects.requireNonNull(folders.get(most.getKey())))
          .map(folder -> List.of(folder.resolve(run.mirror.name() + Manifest.SUFFIX)))
          .orElse(List.of());
    }
  }

  /// The reading of one run in this process, which its streams share.
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

  /// One replica's reading.
  private static final class Segments implements FeedStream.Feed {
    private final Run run;
    private final SegmentReader reader;

    Segments(Run run, int first, int step) throws IOException {
      this.run = run;
      this.reader = new SegmentReader(run.open(), run.mirror.manifest(), first, step);
    }

    @Override
    public boolean isDrained() {
      return reader.isDrained();
    }

    @Override
    public @Nullable Water next(BufferSpring spring) throws IOException, InterruptedException {
      MemorySegment bytes = Objects.requireNonNull(reader.next());
      int size = (int) bytes.byteSize();
      Water water = spring.createWater(size);
      MemorySegment.copy(bytes, 0, water.bytes().segment(), 0, size);
      return water;
    }

    /// Others get its share from now on.
    @Override
    public void leave() {
      reader.close();
    }

    @Override
    public void close() {
      reader.close();
      run.close();
    }
  }
}
