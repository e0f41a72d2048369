package dev.tigris.sort;

import java.io.Closeable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// The inputs of a job, opened and validated, as one sequence of records cut into *chunks* that
/// threads can take one by one. A chunk lies in one file.
final class InputFiles implements Closeable {
  private final RecordFormat format;
  private final List<InputFile> files = new ArrayList<>();
  private long chunkRecords = 1;

  /// Per file, the index of its first chunk; and the number of chunks at the end.
  private final long[] firstChunk;

  /// Per file, the index of its first record; and the number of records at the end.
  private final long[] firstRecord;

  /// Per file, the number of its first record in the whole input, of which these files may be a
  /// part.
  private long[] firstNumber;

  /// A part of the input.
  ///
  /// @param file where it lies
  /// @param from its first byte in the file
  /// @param first the number of its first record in the whole input
  /// @param records how many records it has
  record Chunk(InputFile file, long from, long first, long records) {}

  /// Opens the input of a number.
  interface Opener {
    InputFile open(int input) throws SortException;
  }

  /// Opens inputs.
  ///
  /// @param folder where those are copied to that have no size
  InputFiles(List<SortInput> inputs, RecordFormat format, TemporaryFolder folder)
      throws SortException {
    this(
        inputs.size(),
        format,
        i -> inputs.get(i).open(format.recordSize(), folder.resolve("input-" + i)));
  }

  /// Opens files.
  InputFiles(List<Path> paths, RecordFormat format) throws SortException {
    this(paths.size(), format, i -> new InputFile(paths.get(i), format.recordSize()));
  }

  /// Opens so many inputs.
  InputFiles(int count, RecordFormat format, Opener opener) throws SortException {
    this.format = format;
    this.firstChunk = new long[count + 1];
    this.firstRecord = new long[count + 1];
    this.firstNumber = firstRecord;
    // Where the process may open no more files, it cannot open the jar to load this from, either.
    Objects.requireNonNull(SortException.Kind.INPUT);
    try {
      for (int i = 0; i < count; i++) {
        files.add(opener.open(i));
      }
    } catch (SortException e) {
      try {
        close();
      } catch (SortException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
    for (int i = 0; i < files.size(); i++) {
      long records = files.get(i).size() / format.recordSize();
      firstRecord[i + 1] = firstRecord[i] + records;
    }
  }

  /// Cuts the input into chunks of about `chunkBytes`. Before this, there are none.
  void cut(long chunkBytes) {
    chunkRecords = Math.max(1, chunkBytes / format.recordSize());
    for (int i = 0; i < files.size(); i++) {
      long records = firstRecord[i + 1] - firstRecord[i];
      firstChunk[i + 1] = firstChunk[i] + (records + chunkRecords - 1) / chunkRecords;
    }
  }

  /// Numbers the records of each file from here on, where other files come before or between.
  void number(long[] firsts) {
    firstNumber = firsts.clone();
  }

  int recordSize() {
    return format.recordSize();
  }

  long records() {
    return firstRecord[files.size()];
  }

  long bytes() {
    return records() * format.recordSize();
  }

  long chunks() {
    return firstChunk[files.size()];
  }

  boolean waitForDisk() {
    for (InputFile file : files) {
      if (file.waitsForDisk()) {
        return true;
      }
    }
    return false;
  }

  Chunk chunk(long index) {
    int file = indexOf(firstChunk, index);
    long first = (index - firstChunk[file]) * chunkRecords;
    long inFile = firstRecord[file + 1] - firstRecord[file];
    long count = Math.min(chunkRecords, inFile - first);
    return new Chunk(
        files.get(file), first * format.recordSize(), firstNumber[file] + first, count);
  }

  /// Returns the part of the file of `record` that begins with it and has up to `count` records.
  Chunk records(long record, long count) {
    int file = indexOf(firstRecord, record);
    long available = Math.min(count, firstRecord[file + 1] - record);
    long from = (record - firstRecord[file]) * format.recordSize();
    return new Chunk(files.get(file), from, record, available);
  }

  /// Returns the file whose range of `starts` holds the index; empty files have empty ranges.
  static int indexOf(long[] starts, long index) {
    int file = 0;
    while (starts[file + 1] <= index) {
      file++;
    }
    return file;
  }

  /// Returns the files.
  List<InputFile> files() {
    return List.copyOf(files);
  }

  /// See [InputFile#requireUnchanged].
  void requireUnchanged() throws SortException {
    for (InputFile file : files) {
      file.requireUnchanged();
    }
  }

  @Override
  public void close() throws SortException {
    InputFile.closeAll(files);
  }
}
