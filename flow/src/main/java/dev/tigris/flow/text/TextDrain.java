package dev.tigris.flow.text;

import dev.tigris.flow.FileStream;
import dev.tigris.flow.FileTime;
import dev.tigris.flow.StreamGroup;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import dev.tigris.flow.ends.DrainStream;
import dev.tigris.memory.Bytes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A drain of rows to one file, which all replicas of a stage write together. The rows of a water
/// lie beside one another in the file; those of several replicas are mixed, water by water.
public final class TextDrain extends StreamGroup {
  private final Path file;
  private final boolean hasNames;

  TextDrain(Path file, boolean hasNames) {
    this.file = file;
    this.hasNames = hasNames;
  }

  @Override
  protected List<StreamKind> kinds(int replicas) {
    var shared = new SharedFile(file, hasNames);
    return Collections.nCopies(replicas, place -> new DrainStream(place, shared.open(place)));
  }

  /// The file that the streams of one run write.
  ///
  /// Thread rule: any thread.
  private static final class SharedFile {
    private final Path path;
    private final boolean hasNames;
    private @Nullable FileStream file;
    private int users;
    private boolean complete = true;
    private byte @Nullable [] names;

    SharedFile(Path path, boolean hasNames) {
      this.path = path;
      this.hasNames = hasNames;
    }

    synchronized Share open(StreamKind.Place place) throws IOException {
      FileStream open = file;
      boolean isFirst = open == null;
      if (open == null) {
        open = (FileStream) FileStream.writing(path).open(place);
        file = open;
      }
      users++; // an open that fails is not closed
      return new Share(this, open, isFirst ? DrainStream.output(open) : null);
    }

    synchronized void write(FileStream to, Bytes batch, int size) {
      if (hasNames && Batch.hasNames(batch)) {
        byte[] found = Batch.names(batch);
        if (names == null) {
          names = found;
          var row = Arrays.copyOf(found, found.length + 1);
          row[found.length] = Scan.LINE_FEED;
          Water first = to.spring().createWater(row.length);
          first.bytes().copyFrom(0, row, 0, row.length);
          to.put(first);
        } else if (!Arrays.equals(names, found)) {
          throw new TextException(
              "%s gets rows with different columns: write them to different files".formatted(path));
        }
      }
      int from = Batch.first(batch);
      if (size == from) {
        return; // it told the names
      }
      boolean endsInside = size > from && batch.get(size - 1) != Scan.LINE_FEED;
      int length = size - from + (endsInside ? 1 : 0);
      Water copy = to.spring().createWater(length);
      batch.copyTo(from, copy.bytes(), 0, size - from);
      if (endsInside) { // the last row of a file may have no end
        copy.bytes().set(length - 1, Scan.LINE_FEED);
      }
      to.put(copy);
    }

    synchronized void close(FileStream open, boolean isComplete) {
      complete &= isComplete;
      users--;
      if (users == 0) {
        open.close(complete);
      }
    }
  }

  /// One replica's way to the file.
  private record Share(SharedFile shared, FileStream file, @Nullable String output)
      implements DrainStream.Sink {
    @Override
    public void check(Water water) {
      Batch.check(water);
    }

    @Override
    public void write(Bytes batch, int size) {
      try (FileTime _ = FileTime.begin()) { // with the wait for others that write to it
        shared.write(file, batch, size);
      }
    }

    @Override
    public void prepare() {
      DrainStream.prepare(file);
    }

    @Override
    public void close(boolean complete) {
      shared.close(file, complete);
    }
  }
}
