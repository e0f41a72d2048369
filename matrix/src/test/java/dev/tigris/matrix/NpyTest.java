package dev.tigris.matrix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.host.Python;
import dev.tigris.testing.process.Command;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NpyTest {
  @TempDir Path folder;

  @Test
  void readsBackThatWhichItWrites() throws IOException {
    for (Precision precision : Precision.values()) {
      Matrix matrix = counted(precision, 3, 5);
      for (Matrix shape : new Matrix[] {matrix, matrix.transposed(), matrix.block(1, 1, 2, 3)}) {
        Path file = folder.resolve("m.npy");
        Npy.write(file, shape);
        assertEquals(
            (long) shape.rows() * shape.columns() * precision.bytes() % 64, Files.size(file) % 64);
        assertSame(Npy.read(file), shape);
      }
    }
    try (var files = Files.list(folder)) {
      assertEquals(1, files.count());
    }
  }

  /// As every file that becomes complete beside its place.
  @Test
  void replacesTheFileThatALinkNames() throws IOException {
    Path file = folder.resolve("there.npy");
    Npy.write(file, counted(Precision.DOUBLE, 1, 1));
    var permissions = PosixFilePermissions.fromString("rw-r-----");
    Files.setPosixFilePermissions(file, permissions);
    Path link = Files.createSymbolicLink(folder.resolve("link.npy"), file);
    Matrix other = counted(Precision.DOUBLE, 2, 2);
    Npy.write(link, other);
    assertTrue(Files.isSymbolicLink(link));
    assertEquals(permissions, Files.getPosixFilePermissions(file));
    assertSame(Npy.read(file), other);
    assertTrue(refusal(() -> Npy.write(folder, other)).contains("is a folder"));
  }

  @Test
  void readsEmptyMatrices() throws IOException {
    for (int[] size : new int[][] {{0, 0}, {0, 3}, {4, 0}}) {
      Path file = folder.resolve("empty.npy");
      Npy.write(file, Matrix.zeros(Precision.DOUBLE, size[0], size[1]));
      Matrix read = Npy.read(file);
      assertArrayEquals(size, new int[] {read.rows(), read.columns()});
    }
  }

  @Test
  void readsAllOrdersAndFormats() throws IOException {
    byte[] bytes =
        ByteBuffer.allocate(48)
            .putDouble(1)
            .putDouble(2)
            .putDouble(3)
            .putDouble(4)
            .putDouble(5)
            .putDouble(6)
            .array();
    Matrix byColumns =
        Npy.read(file(2, "{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3), }", bytes));
    assertSame(byColumns, Matrix.of(new double[][] {{1, 3, 5}, {2, 4, 6}}));
    Matrix byRows =
        Npy.read(file(3, "{\"shape\":(2L,3L),\"fortran_order\":False,\"descr\":\">f8\"}\n", bytes));
    assertSame(byRows, Matrix.of(new double[][] {{1, 2, 3}, {4, 5, 6}}));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }| are '<i8', and not f4 or f8",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }| has 1 dimensions",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (), }| has 0 dimensions",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }| has 3 dimensions",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 3), }| its shape has ''",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999, 3), }| '9999999999'",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2147483647, 2), }| was cut",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2147483647, 2147483647), }| no file is so large",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }| promises 72 bytes",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 3), }| 'fortran_order' in its header",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 3), }| several fields",
        "{'descr': '<f8', 'descr': '<f8', 'shape': (2, 3), }| has 'descr' twice",
        "{'descr': '<f8', 'shape': (2, 3), }| is not one dictionary",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)} x| is not one dictionary",
        "{'descr': (2, 3), 'fortran_order': False, 'shape': '<f8'}| lacks descr",
        "{'descr| has no string at character 1",
        "[]| has no '{' at character 0",
      })
  void refusesByName(String header, String reason) throws IOException {
    Path file = file(1, header, new byte[48]);
    assertTrue(refusal(() -> Npy.read(file)).startsWith(file.toString()));
    assertTrue(refusal(() -> Npy.read(file)).contains(reason));
  }

  @Test
  void refusesOtherFiles() throws IOException {
    Path file = folder.resolve("other");
    Files.writeString(file, "PK\3\4 and more than eight bytes");
    assertTrue(refusal(() -> Npy.read(file)).contains("is no NumPy file"));
    Files.writeString(file, "");
    assertTrue(refusal(() -> Npy.read(file)).contains("ends within its header"));
    Files.write(file, prefix(9, 10));
    assertTrue(refusal(() -> Npy.read(file)).contains("has format 9"));
    Files.write(file, prefix(2, 1 << 30));
    assertTrue(refusal(() -> Npy.read(file)).contains("a header of 1073741824 bytes"));
  }

  /// NumPy saves the factors in several forms, and finds our product equal to its own.
  @Test
  void exchangesFilesWithNumpy() throws Exception {
    Command python = Python.with("numpy");
    String make =
        """
        import numpy as n, sys
        f = sys.argv[1]
        a = n.arange(12.0).reshape(3, 4)
        n.save(f + '/rows', a)
        n.save(f + '/columns', n.asfortranarray(a))
        n.save(f + '/big', a.astype('>f8'))
        n.save(f + '/single', a.astype('f4'))
        """;
    python.with("-c", make, folder.toString()).output();
    Matrix a = Npy.read(folder.resolve("rows.npy"));
    assertSame(Npy.read(folder.resolve("columns.npy")), a);
    assertSame(Npy.read(folder.resolve("big.npy")), a);
    assertSame(Npy.read(folder.resolve("single.npy")), a.copy(Precision.SINGLE));
    Npy.write(folder.resolve("product.npy"), a.multiply(a.transposed()));
    Npy.write(folder.resolve("transpose.npy"), a.transposed());
    String compare =
        """
        import numpy as n, sys
        f = sys.argv[1]
        a = n.load(f + '/rows.npy')
        assert (n.load(f + '/product.npy') == a @ a.T).all()
        t = n.load(f + '/transpose.npy')
        assert (t == a.T).all() and t.flags.f_contiguous
        """;
    python.with("-c", compare, folder.toString()).output();
  }

  /// Any bytes are a matrix or are refused, and take no more memory than the file has.
  @Test
  void bearsRandomChanges() throws IOException {
    Random random = new Random(seed());
    Path file = folder.resolve("changed.npy");
    Npy.write(file, counted(Precision.DOUBLE, 4, 4));
    byte[] whole = Files.readAllBytes(file);
    for (int i = 0; i < 500; i++) {
      byte[] changed = whole.clone();
      for (int change = random.nextInt(1, 4); change > 0; change--) {
        changed[random.nextInt(random.nextBoolean() ? 80 : changed.length)] =
            (byte) (random.nextBoolean() ? random.nextInt(32, 127) : random.nextInt());
      }
      Files.write(file, changed);
      try {
        Matrix matrix = Npy.read(file);
        assertTrue((long) matrix.rows() * matrix.columns() * matrix.precision().bytes() <= 128);
      } catch (IOException e) {
        assertTrue(e.getMessage().startsWith(file.toString()));
      }
    }
  }

  private Path file(int format, String header, byte[] elements) throws IOException {
    byte[] text = header.getBytes(StandardCharsets.UTF_8);
    byte[] prefix = prefix(format, text.length);
    Path file = folder.resolve("made.npy");
    Files.write(
        file,
        ByteBuffer.allocate(prefix.length + text.length + elements.length)
            .put(prefix)
            .put(text)
            .put(elements)
            .array());
    return file;
  }

  private static byte[] prefix(int format, int length) {
    ByteBuffer bytes =
        ByteBuffer.allocate(format == 1 ? 10 : 12)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', (byte) format, 0});
    return (format == 1 ? bytes.putShort((short) length) : bytes.putInt(length)).array();
  }

  private static Matrix counted(Precision precision, int rows, int columns) {
    Matrix matrix = Matrix.zeros(precision, rows, columns);
    for (int i = 0; i < rows * columns; i++) {
      matrix.set(i / columns, i % columns, i + 0.5);
    }
    return matrix;
  }

  private static void assertSame(Matrix read, Matrix expected) {
    assertEquals(expected.shape(), read.shape());
    assertEquals(expected.precision(), read.precision());
    for (int row = 0; row < read.rows(); row++) {
      for (int column = 0; column < read.columns(); column++) {
        assertEquals(expected.get(row, column), read.get(row, column));
      }
    }
  }

  private static long seed() {
    long seed = Long.getLong("tigris.test.seed", System.nanoTime());
    System.out.println("-Dtigris.test.seed=" + seed);
    return seed;
  }

  private static String refusal(Executable call) {
    return assertThrows(Exception.class, call).getMessage();
  }
}
