package dev.tigris.matrix;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The header of a NumPy file, which tells what its elements are.
///
/// ```
/// bytes  0..5   0x93 "NUMPY"
/// byte   6      the format: 1, 2 or 3
/// byte   7      0
/// bytes  8..    the length of the dictionary: 2 bytes in format 1, 4 in the others, little-endian
/// then          {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, spaces, and a line
/// end
/// ```
record NpyHeader(
    Precision precision, boolean isBigEndian, boolean isFortranOrder, int rows, int columns) {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};

  /// NumPy itself refuses longer dictionaries than 10,000 characters.
  private static final int MOST = 10_000;

  /// The elements begin at a multiple of this.
  private static final int ALIGNMENT = 64;

  private static final int PREFIX = MAGIC.length + 4; // format 1

  /// The size of the elements.
  long bytes() {
    return (long) rows * columns * precision.bytes();
  }

  /// Reads the header at the beginning of a file, and leaves the channel at the first element.
  ///
  /// @throws IOException also if the file is too short for the elements that it promises
  static NpyHeader read(FileChannel channel, Path file) throws IOException {
    ByteBuffer start = filled(channel, MAGIC.length + 2, file);
    for (byte expected : MAGIC) {
      if (start.get() != expected) {
        throw new IOException(file + " is no NumPy file: it does not begin with \\x93NUMPY");
      }
    }
    int format = Byte.toUnsignedInt(start.get());
    if (format < 1 || format > 3) {
      throw new IOException(
          "%s has format %d of NumPy's files: 1, 2 and 3 are known".formatted(file, format));
    }
    ByteBuffer size = filled(channel, format == 1 ? Short.BYTES : Integer.BYTES, file);
    long length =
        format == 1 ? Short.toUnsignedLong(size.getShort()) : Integer.toUnsignedLong(size.getInt());
    if (length > MOST) {
      throw new IOException(
          "%s: a header of %d bytes, of at most %d".formatted(file, length, MOST));
    }
    ByteBuffer text = filled(channel, (int) length, file);
    NpyHeader header = new Parser(StandardCharsets.UTF_8.decode(text).toString(), file).header();
    long there = channel.size() - channel.position();
    if (there < header.bytes()) {
      throw new EOFException(
          "%s: its header promises %d bytes of elements, and there are %d: the file was cut"
              .formatted(file, header.bytes(), there));
    }
    return header;
  }

  /// Makes the header of a file in format 1.
  static ByteBuffer of(Precision precision, boolean isFortranOrder, int rows, int columns) {
    String dictionary =
        "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }"
            .formatted(
                precision == Precision.SINGLE ? "<f4" : "<f8",
                isFortranOrder ? "True" : "False",
                rows,
                columns);
    int length = Math.ceilDiv(PREFIX + dictionary.length() + 1, ALIGNMENT) * ALIGNMENT - PREFIX;
    String padded = dictionary + " ".repeat(length - dictionary.length() - 1) + "\n";
    return ByteBuffer.allocate(PREFIX + length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(MAGIC)
        .put((byte) 1)
        .put((byte) 0)
        .putShort((short) length)
        .put(padded.getBytes(StandardCharsets.US_ASCII))
        .flip();
  }

  private static ByteBuffer filled(FileChannel channel, int bytes, Path file) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    while (buffer.hasRemaining()) {
      int count;
      try {
        count = channel.read(buffer);
      } catch (IOException e) { // such as that of a folder, which does not name it
        throw new IOException("%s cannot be read: %s".formatted(file, e.getMessage()), e);
      }
      if (count < 0) {
        throw new IOException(file + " is no NumPy file: it ends within its header");
      }
    }
    return buffer.flip();
  }

  /// Reads the dictionary. It knows what `numpy.save` can write: strings, True and False, and
  /// tuples of numbers.
  private static final class Parser {
    private final String text;
    private final Path file;
    private int at;

    Parser(String text, Path file) {
      this.text = text;
      this.file = file;
    }

    NpyHeader header() throws IOException {
      Map<String, Object> entries = new HashMap<>();
      expect('{');
      while (!skip('}')) {
        String key = string();
        expect(':');
        if (entries.put(key, value(key)) != null) {
          throw refused("its header has '%s' twice".formatted(key));
        }
        if (!skip(',')) {
          expect('}');
          break;
        }
      }
      if (peek() != 0 || entries.size() != 3) {
        throw refused("its header is not one dictionary of descr, fortran_order and shape");
      }
      return of(entries);
    }

    private NpyHeader of(Map<String, Object> entries) throws IOException {
      if (!(entries.get("descr") instanceof String type)
          || !(entries.get("fortran_order") instanceof Boolean isFortranOrder)
          || !(entries.get("shape") instanceof List<?> shape)) {
        throw refused("its header lacks descr, fortran_order or shape, or one is of another type");
      }
      if (!type.matches("[<>]f[48]")) {
        throw refused(
            "its elements are %s, and not f4 or f8: convert it by astype('f8')"
                .formatted(quoted(type)));
      }
      if (shape.size() != 2) {
        throw refused(
            "its array has %d dimensions, and a matrix has 2: use reshape".formatted(shape.size()));
      }
      int rows = (Integer) shape.get(0);
      int columns = (Integer) shape.get(1);
      if ((long) rows * columns > Long.MAX_VALUE / Double.BYTES) {
        throw refused("its shape is %d by %d: no file is so large".formatted(rows, columns));
      }
      return new NpyHeader(
          type.endsWith("4") ? Precision.SINGLE : Precision.DOUBLE,
          type.charAt(0) == '>',
          isFortranOrder,
          rows,
          columns);
    }

    private Object value(String key) throws IOException {
      char next = peek();
      if (next == '\'' || next == '"') {
        return string();
      }
      if (next == '(') {
        return tuple();
      }
      for (boolean isTrue : new boolean[] {true, false}) {
        String word = isTrue ? "True" : "False";
        if (text.startsWith(word, at)) {
          at += word.length();
          return isTrue;
        }
      }
      if (next == '[') {
        throw refused("its elements are records of several fields: save one field");
      }
      throw refused("the value of '%s' in its header cannot be read".formatted(key));
    }

    private List<Integer> tuple() throws IOException {
      expect('(');
      List<Integer> numbers = new ArrayList<>();
      while (!skip(')')) {
        numbers.add(number());
        if (!skip(',')) {
          expect(')');
          break;
        }
      }
      return numbers;
    }

    private int number() throws IOException {
      char _ = peek();
      int from = at;
      while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
        at++;
      }
      String digits = text.substring(from, at);
      if (at < text.length() && text.charAt(at) == 'L') {
        at++; // as Python 2 wrote it
      }
      try {
        return Integer.parseInt(digits);
      } catch (NumberFormatException e) {
        throw refused("its shape has %s, and a size is 0 to 2147483647".formatted(quoted(digits)));
      }
    }

    private String string() throws IOException {
      char quote = peek();
      int end = quote == '\'' || quote == '"' ? text.indexOf(quote, at + 1) : -1;
      if (end < 0) {
        throw refused("its header has no string at character %d".formatted(at));
      }
      String found = text.substring(at + 1, end);
      at = end + 1;
      return found;
    }

    private void expect(char wanted) throws IOException {
      if (!skip(wanted)) {
        throw refused("its header has no '%c' at character %d".formatted(wanted, at));
      }
    }

    private boolean skip(char wanted) {
      if (peek() != wanted) {
        return false;
      }
      at++;
      return true;
    }

    /// The next character that is no space, or 0 at the end.
    private char peek() {
      while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
        at++;
      }
      return at < text.length() ? text.charAt(at) : 0;
    }

    /// A text of the file, so that it can be printed.
    private static String quoted(String text) {
      String printable = text.replaceAll("[^ -~]", "?");
      return "'%s'".formatted(printable.length() > 40 ? printable.substring(0, 40) : printable);
    }

    private IOException refused(String why) {
      return new IOException(file + ": " + why);
    }
  }
}
