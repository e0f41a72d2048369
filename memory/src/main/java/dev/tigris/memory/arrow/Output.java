package dev.tigris.memory.arrow;

import dev.tigris.os.PartialFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An Arrow file or stream that is being written, message by message: a schema, dictionaries,
/// batches of rows, and the footer of a file.
///
/// Thread rule: one thread.
final class Output implements AutoCloseable {
  private final List<Field> fields;
  private final Sink sink;
  private final @Nullable PartialFile file;
  private final boolean hasFooter;
  private final Batch batch = new Batch();
  private final List<Sink.Block> dictionaries = new ArrayList<>();
  private final List<Sink.Block> batches = new ArrayList<>();
  private @Nullable ArrowCompression compression;
  private ArrowCompression.@Nullable Frames frames;
  private boolean isComplete;
  private boolean isBroken;

  private Output(
      List<Field> fields, OutputStream out, @Nullable PartialFile file, boolean hasFooter)
      throws IOException {
    this.fields = fields;
    this.sink = new Sink(out);
    this.file = file;
    this.hasFooter = hasFooter;
    if (hasFooter) {
      sink.magic();
    }
    sink.message(Metadata.schemaMessage(fields), batch);
  }

  static Output toFile(List<Field> fields, Path path) throws IOException {
    PartialFile file = new PartialFile(path);
    try {
      return new Output(fields, file.stream(), file, true);
    } catch (Throwable e) {
      file.close();
      throw e;
    }
  }

  static Output to(List<Field> fields, OutputStream out, boolean hasFooter) throws IOException {
    return new Output(fields, out, null, hasFooter);
  }

  /// Returns what nodes and buffers are added to, for the message that is written next.
  Batch batch() {
    return batch;
  }

  /// Compresses what is written from now on.
  void compressBy(ArrowCompression by) {
    frames = by.frames();
    compression = by;
  }

  private void compress() {
    ArrowCompression by = compression;
    ArrowCompression.Frames made = frames;
    if (by != null && made != null) {
      batch.compress(by, made);
    }
  }

  void writeDictionary(int id, long values) throws IOException {
    compress();
    dictionaries.add(sink.message(Metadata.dictionaryMessage(id, batch, values), batch));
    batch.clear();
  }

  void writeRows(long rows) throws IOException {
    compress();
    Sink.Block block = sink.message(Metadata.rowsMessage(batch, rows), batch);
    if (hasFooter) {
      batches.add(block);
    }
    batch.clear();
  }

  void requireOpen() {
    if (isComplete || isBroken) {
      throw new IllegalStateException(
          isComplete
              ? "the writer is complete or closed: make another one"
              : "an earlier write has failed, so that the rest is not written: close the writer");
    }
  }

  /// Says that a write begins. If it throws, nothing is written any more.
  void begin() {
    requireOpen();
    isBroken = true;
  }

  void succeeded() {
    isBroken = false;
  }

  void flush() throws IOException {
    sink.flush();
  }

  /// Writes the end, and gives a file its name.
  void complete() throws IOException {
    begin();
    sink.end();
    if (hasFooter) {
      sink.footer(Metadata.footer(fields, dictionaries, batches));
    }
    sink.flush();
    if (file != null) {
      file.complete();
    }
    succeeded();
    isComplete = true;
  }

  @Override
  public void close() throws IOException {
    isComplete = true;
    if (file != null) {
      file.close();
    }
  }
}
