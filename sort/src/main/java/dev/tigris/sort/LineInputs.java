package dev.tigris.sort;

import java.io.Closeable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The inputs of a sort of lines, opened, as one sequence of lines cut into parts that threads can
/// take one by one. Of CSV, the first rows are no part of it, but name the columns.
final class LineInputs implements Closeable {
  private static final int HEADER_STEP_BYTES = 64 << 10;

  /// A longer first row has a quote that does not end.
  private static final int MOST_HEADER_BYTES = 1 << 20;

  private final RowEnds rows;
  private final List<InputFile> files = new ArrayList<>();

  /// Per file, where its lines begin.
  private final long[] firstByte;

  private int partBytes = 1;

  /// Per file, the number of its first part; and the number of parts at the end.
  private final long[] firstPart;

  /// Per file, the number of its first part in the whole input, of which these files may be a part.
  private long[] firstNumber;

  /// Per part, whether it begins between quotes; empty without quotes.
  private boolean[] inside = {};

  private byte @Nullable [] header;

  /// Opens inputs.
  ///
  /// @param folder where those are copied to that have no size
  LineInputs(List<SortInput> inputs, LineOrder order, Path folder) throws SortException {
    this.rows = order.rows();
    this.firstByte = new long[inputs.size()];
    this.firstPart = new long[inputs.size() + 1];
    this.firstNumber = firstPart;
    boolean opened = false;
    try {
      for (int i = 0; i < inputs.size(); i++) {
        Path spool = folder.resolve("input-" + i);
        files.add(inputs.get(i).open(1, spool));
        if (order.isCsv()) {
          firstByte[i] = readHeader(files.get(i), inputs.get(i));
        }
      }
      opened = true;
    } finally {
      if (!opened) {
        close();
      }
    }
  }

  /// Opens inputs that another process has opened before, and looks into them no more.
  LineInputs(List<SharedInput> shared, LineOrder order, byte @Nullable [] header)
      throws SortException {
    this.rows = order.rows();
    this.firstByte = new long[shared.size()];
    this.firstPart = new long[firstByte.length + 1];
    this.firstNumber = firstPart;
    this.header = header;
    boolean opened = false;
    try {
      for (int i = 0; i < firstByte.length; i++) {
        files.add(shared.get(i).open(1));
        firstByte[i] = shared.get(i).firstByte();
      }
      opened = true;
    } finally {
      if (!opened) {
        close();
      }
    }
  }

  /// Opens inputs that another process has opened and cut.
  LineInputs(SharedLines shared) throws SortException {
    this(shared.inputs(), shared.order(), shared.header());
    count(shared.plan().chunkBytes());
    if (rows.quoted()) {
      inside = new boolean[Math.toIntExact(parts()) + 1];
      for (int i = 0; i < inside.length; i++) {
        inside[i] = shared.inside().get(i);
      }
    }
  }

  /// Reads the first row of a file, which must be that of all; returns where the next one begins.
  private long readHeader(InputFile file, SortInput input) throws SortException {
    byte[] text = {};
    int end = 0;
    boolean isInside = false;
    try (var buffer = new AlignedBuffer(HEADER_STEP_BYTES, "header")) {
      while (end == text.length && text.length < file.size()) {
        int at = text.length;
        if (at >= MOST_HEADER_BYTES) {
          throw new SortException(
              SortException.Kind.INPUT,
              "%s has a first row of more than %d bytes: look whether a quote in it has no end"
                  .formatted(input, MOST_HEADER_BYTES));
        }
        int length = (int) Math.min(HEADER_STEP_BYTES, file.size() - at);
        long read = file.read(buffer, at, (long) at + length);
        text = Arrays.copyOf(text, at + length);
        buffer.bytes().copyTo(read, text, at, length);
        end = rows.find(text, at, text.length, isInside);
        isInside = rows.isInside(text, at, text.length, isInside);
      }
    }
    if (isInside && end == text.length) {
      throw file.endsInQuotes();
    }
    byte[] row = Arrays.copyOf(text, end);
    byte[] first = header;
    if (first != null && file.size() > 0 && !LineOrder.isSameHeader(row, first)) {
      throw otherHeader(input.toString());
    }
    header = first == null && file.size() > 0 ? row : first;
    return Math.min(file.size(), end + 1L);
  }

  /// An input has other columns than those before it.
  static SortException otherHeader(String input) {
    return new SortException(
        SortException.Kind.INPUT,
        ("%s has another first row than the input before it: the columns of CSV must be the same"
                + " in all files")
            .formatted(input));
  }

  /// The first row, without its end; null where no input has one.
  byte @Nullable [] header() {
    return header;
  }

  /// How many bytes of lines there are.
  long bytes() {
    long sum = 0;
    for (int i = 0; i < files.size(); i++) {
      sum += lineBytes(i);
    }
    return sum;
  }

  /// How many bytes of lines a file has.
  long lineBytes(int file) {
    return files.get(file).size() - firstByte[file];
  }

  /// Cuts the input into parts of this size. Before this, there are none.
  void cut(int bytes, int processors) throws SortException, InterruptedException {
    count(bytes);
    if (rows.quoted()) {
      findQuotes(processors);
    }
  }

  private void count(int bytes) {
    partBytes = bytes;
    for (int i = 0; i < files.size(); i++) {
      firstPart[i + 1] = firstPart[i] + Math.ceilDiv(files.get(i).size() - firstByte[i], partBytes);
    }
  }

  /// Finds out which parts begin between quotes: each part says whether it has an odd number of
  /// them.
  private void findQuotes(int processors) throws SortException, InterruptedException {
    boolean[] odd = new boolean[Math.toIntExact(parts())];
    Workers.run("tigris-sort-quotes", processors, odd.length, () -> new QuoteCounter(odd));
    inside = new boolean[odd.length + 1];
    for (int i = 0; i < odd.length; i++) {
      boolean first = Arrays.binarySearch(firstPart, i) >= 0;
      inside[i] &=
          !first; // a file that ends between quotes is damaged, and does not spoil the next
      inside[i + 1] = inside[i] ^ odd[i];
    }
  }

  /// Counts the quotes of parts.
  private final class QuoteCounter implements Workers.Worker {
    private final boolean[] odd;
    private final AlignedBuffer buffer = new AlignedBuffer(partBytes, "quotes");
    private final byte[] block = new byte[partBytes];

    QuoteCounter(boolean[] odd) {
      this.odd = odd;
    }

    @Override
    public void work(long number) throws SortException {
      LinePart part = part(number);
      int length = (int) (part.to() - part.from());
      long at = part.file().read(buffer, part.from(), part.to());
      buffer.bytes().copyTo(at, block, 0, length);
      odd[(int) number] = rows.isInside(block, 0, length, false);
    }

    @Override
    public void close() {
      buffer.close();
    }
  }

  /// Numbers the parts of each file from here on, where other files come before or between.
  void number(long[] firsts) {
    firstNumber = firsts.clone();
  }

  /// How many parts there are.
  long parts() {
    return firstPart[files.size()];
  }

  /// A part by its number.
  LinePart part(long number) {
    int file = InputFiles.indexOf(firstPart, number);
    InputFile found = files.get(file);
    long from = firstByte[file] + (number - firstPart[file]) * partBytes;
    long to = Math.min(found.size(), from + partBytes);
    boolean quotes = inside.length > 0;
    long inFile = number - firstPart[file];
    return new LinePart(
        found, from, to, firstNumber[file] + inFile, inFile == 0, quotes && inside[(int) number]);
  }

  /// Tells other processes of its files.
  List<SharedInput> shared() {
    List<SharedInput> shared = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      shared.add(SharedInput.of(files.get(i), firstByte[i]));
    }
    return shared;
  }

  /// Tells other processes which parts begin between quotes.
  BitSet inside() {
    BitSet bits = new BitSet();
    for (int i = 0; i < inside.length; i++) {
      bits.set(i, inside[i]);
    }
    return bits;
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
