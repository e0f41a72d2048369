package dev.tigris.flow.mirror;

import dev.tigris.flow.StreamGroup;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.ends.DrainStream;
import dev.tigris.memory.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A drain whose replicas write the segments of one data set.
final class MirrorDrain extends StreamGroup {
  private final MirrorPlan plan;
  private final Consumer<String> warnings;

  MirrorDrain(MirrorPlan plan, Consumer<String> warnings) {
    this.plan = plan;
    this.warnings = warnings;
  }

  @Override
  protected List<StreamKind> kinds(int replicas) {
    var run = new Run(plan, replicas, warnings);
    List<StreamKind> kinds = new ArrayList<>();
    for (int i = 0; i < replicas; i++) {
      int segment = i;
      kinds.add(place -> new DrainStream(place, new Segment(place, run, segment)));
    }
    return kinds;
  }

  /// The data set that the streams of one run write.
  ///
  /// Thread rule: any thread.
  private static final class Run {
    final MirrorPlan plan;
    final Consumer<String> warnings;
    private final Manifest.@Nullable Segment[] segments;
    private @Nullable Manifest manifest;
    private int users;
    private boolean complete = true;

    Run(MirrorPlan plan, int segments, Consumer<String> warnings) {
      this.plan = plan;
      this.segments = new Manifest.Segment[segments];
      this.warnings = warnings;
    }

    /// Counts a stream; the first one looks at the disks.
    synchronized Manifest open() throws IOException {
      Manifest known = manifest;
      if (known == null) {
        known = plan.begin();
        manifest = known;
      }
      users++;
      return known;
    }

    synchronized void finished(int segment, Manifest.Segment whole) {
      segments[segment] = whole;
    }

    /// Refuses what cannot become a data set, before any output has its name.
    synchronized void prepare() throws MirrorException {
      Manifest known = manifest;
      if (known != null && known.isStriped()) {
        whole(known).requireStripes(plan.name());
      }
    }

    private Manifest whole(Manifest known) throws MirrorException {
      List<Manifest.Segment> all = new ArrayList<>();
      for (Manifest.Segment each : segments) {
        if (each == null) {
          throw new MirrorException(
              "segment %d of %s was not written to its end".formatted(all.size(), plan.name()));
        }
        all.add(each);
      }
      return known.with(known.generation(), known.disks(), all);
    }

    /// Counts a stream less. The last one writes the manifest, or deletes everything.
    synchronized void close(boolean isComplete) throws IOException {
      complete &= isComplete;
      users--;
      Manifest known = manifest;
      if (users > 0 || known == null) {
        return;
      }
      manifest = null;
      boolean done = false;
      try {
        if (complete) {
          List<Integer> _ = MirrorPlan.commit(whole(known), plan.name(), warnings);
          done = true;
        }
      } finally {
        if (!done) {
          MirrorPlan.discard(known, plan.name(), segments.length);
        }
        Arrays.fill(segments, null);
      }
    }
  }

  /// One replica's writing.
  private static final class Segment implements DrainStream.Sink {
    private final Run run;
    private final int segment;
    private final Manifest manifest;
    private @Nullable SegmentWriter writer;

    Segment(StreamKind.Place place, Run run, int segment) throws IOException {
      if (place.owner() != null) {
        throw new MirrorException(
            "data set %s cannot be an output of a run over several processes: write it by a flow in one process"
                .formatted(run.plan.name()));
      }
      this.run = run;
      this.segment = segment;
      this.manifest = run.open();
    }

    private SegmentWriter writer() throws IOException {
      SegmentWriter known = writer;
      if (known == null) {
        known =
            new SegmentWriter(
                manifest,
                segment,
                run.plan.disksOf(segment),
                disk -> manifest.file(run.plan.name(), segment, disk),
                run.warnings);
        writer = known;
      }
      return known;
    }

    @Override
    public @Nullable String output() {
      return segment == 0 ? "data set %s on %s".formatted(run.plan.name(), manifest.disks()) : null;
    }

    @Override
    public void write(Bytes bytes, int size) throws IOException {
      writer().write(bytes.segment().asSlice(0, size));
    }

    @Override
    public void end() throws IOException {
      run.finished(segment, writer().finish());
    }

    /// The queue of the writer belongs to the replica's thread.
    @Override
    public void leave() {
      SegmentWriter known = writer;
      if (known != null) {
        known.close();
      }
    }

    @Override
    public void prepare() throws IOException {
      run.prepare();
    }

    @Override
    public void close(boolean complete) throws IOException {
      leave(); // without a flow, nothing else has called it
      run.close(complete);
    }
  }
}
