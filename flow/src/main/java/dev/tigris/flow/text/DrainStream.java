package dev.tigris.flow.text;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.FileStream;
import dev.tigris.flow.Spring;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamException;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// One replica's stream to files that all replicas of a stage write.
final class DrainStream extends Stream {
  /// What takes the waters of one stream.
  interface Sink {
    /// Returns what the streams of the group write, as [Stream#output] does: to one of these
    /// streams, and null to the others.
    @Nullable String output();

    /// Writes the rows of a batch of `size` bytes.
    void write(Bytes batch, int size) throws IOException;

    /// Brings what was written to the disk.
    void prepare() throws IOException;

    /// Gives the files their names if the flow is complete, else deletes them.
    void close(boolean complete) throws IOException;
  }

  private final Sink sink;
  private final BufferSpring spring;
  private boolean disposed;

  DrainStream(StreamKind.Place place, Sink sink) {
    super(place.name(), place.window());
    this.sink = sink;
    this.spring = new BufferSpring(place.name());
  }

  /// Returns what a file's stream writes.
  static @Nullable String output(FileStream file) {
    return outputOf(file);
  }

  /// Prepares a file for its name.
  static void prepare(FileStream file) {
    prepareInner(file);
  }

  @Override
  protected @Nullable String output() {
    return sink.output();
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
  protected boolean canCarry(Water water) {
    Batch.check(water);
    return true;
  }

  @Override
  protected void send(Water water) {
    try {
      sink.write(data(water), water.size());
    } catch (IOException e) {
      throw failed(e);
    }
    countFinished();
    water.returnHome();
  }

  private StreamException failed(IOException e) {
    return new StreamException("stream %s: %s".formatted(name(), e.getMessage()), e);
  }

  @Override
  protected void sendEnd() {}

  @Override
  public boolean isReady() {
    return false;
  }

  @Override
  public boolean isDrained() {
    return true;
  }

  @Override
  protected @Nullable Water receive() {
    return null;
  }

  @Override
  protected void release(Water water) {}

  @Override
  protected void leave(Water water) {}

  @Override
  protected void prepare() {
    try {
      sink.prepare();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  @Override
  protected void dispose(boolean complete) {
    if (disposed) {
      return;
    }
    disposed = true;
    spring.close();
    try {
      sink.close(complete);
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
