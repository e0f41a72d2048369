package dev.tigris.flow.ends;

import dev.tigris.flow.FileStream;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A replica's stream to files or disks. A failed write fails the flow, even if the module catches
/// the exception that [#put] throws.
public final class DrainStream extends OneEnded {
  /// Takes the waters of one stream.
  public interface Sink {
    /// Returns what the streams of the group write, as [DrainStream#output] does: to one of these
    /// streams, and null to the others.
    @Nullable String output();

    /// Refuses a water that has another form than the sink's.
    default void check(Water water) {}

    /// Writes a water of `size` bytes.
    void write(Bytes bytes, int size) throws IOException;

    /// Hears that all waters were written.
    default void end() throws IOException {}

    /// Hears that the replica puts nothing more, on its thread.
    default void leave() {}

    /// Brings what was written to the disk.
    void prepare() throws IOException;

    /// Gives the files their names if the flow is complete, else deletes them.
    void close(boolean complete) throws IOException;
  }

  private final Sink sink;

  /// Why a write, or the end, has failed.
  private @Nullable Exception broken;

  /// Makes the stream; `sink` is closed with it.
  public DrainStream(StreamKind.Place place, Sink sink) {
    super(place);
    this.sink = sink;
  }

  /// Returns what a file's stream writes.
  public static @Nullable String output(FileStream file) {
    return outputOf(file);
  }

  /// Prepares a file for its name.
  public static void prepare(FileStream file) {
    prepareInner(file);
  }

  @Override
  protected @Nullable String output() {
    return sink.output();
  }

  @Override
  protected boolean canCarry(Water water) {
    sink.check(water);
    return true;
  }

  @Override
  protected void send(Water water) {
    try {
      sink.write(data(water), water.size());
    } catch (IOException e) {
      broken = e;
      throw failed(e);
    } catch (RuntimeException e) {
      broken = e;
      throw e;
    }
    countFinished();
    water.returnHome();
  }

  @Override
  protected void sendEnd() {
    try {
      if (broken == null) {
        sink.end();
      }
    } catch (IOException e) {
      broken = e;
      throw failed(e);
    }
  }

  @Override
  protected void detachSender() {
    sink.leave();
  }

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
  protected void prepare() {
    if (broken != null) {
      throw failed(broken);
    }
    try {
      sink.prepare();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  @Override
  void closeBehind(boolean complete) throws IOException {
    sink.close(complete && broken == null);
  }
}
