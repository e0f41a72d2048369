package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.matrix.Matrix;
import dev.tigris.matrix.Npy;
import dev.tigris.matrix.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MultiplyCommandTest {
  @TempDir Path folder;
  private Shell shell;

  @BeforeEach
  void openShell() throws IOException {
    shell = new Shell(folder);
    write("a.npy", new double[][] {{1, 2, 3}, {4, 5, 6}});
    write("b.npy", new double[][] {{1, 0}, {0, 1}, {1, 1}});
  }

  private void write(String name, double[][] values) throws IOException {
    Npy.write(folder.resolve(name), Matrix.of(values));
  }

  @Test
  void multipliesFiles() throws IOException {
    Shell.Result result = shell.run("multiply @/a.npy @/b.npy @/c.npy");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertTrue(result.out().startsWith("multiplied 2 x 3 by 3 x 2, 64 bits, in "), result.out());
    Matrix product = Npy.read(folder.resolve("c.npy"));
    assertEquals(4, product.get(0, 0));
    assertEquals(5, product.get(0, 1));
    assertEquals(10, product.get(1, 0));
    assertEquals(11, product.get(1, 1));
    String json = shell.run("multiply --json @/a.npy @/b.npy @/c.npy").out();
    assertTrue(json.contains("\"rows\":2,\"columns\":2,\"inner\":3,\"bits\":64"), json);
    assertEquals("", shell.run("multiply --quiet @/a.npy @/b.npy @/c.npy").out());
  }

  @Test
  void multipliesFilesOnProcesses() throws IOException {
    String where = "--json --on processes:2 --runs @/runs --parallel 2 ";
    Shell.Result result = shell.run("multiply " + where + "@/a.npy @/b.npy @/c.npy");
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertTrue(
        result.out().contains("\"rows\":2,\"columns\":2,\"inner\":3,\"bits\":64"), result.out());
    assertTrue(result.out().contains(Matrix.kernel(Precision.DOUBLE)), result.out());
    assertEquals(11, Npy.read(folder.resolve("c.npy")).get(1, 1));
    Files.delete(folder.resolve("c.npy"));
    String on = "--on processes:2 ";
    assertRefused(ExitCode.BAD_INPUT, on + "@/a.npy @/a.npy @/c.npy", "gives no product");
    assertRefused(ExitCode.BAD_INPUT, on + "@/a.npy @/none.npy @/c.npy", "none.npy' does not");
    assertRefused(ExitCode.USAGE, "--on hosts:x @/a.npy @/b.npy @/c.npy", "names no place");
  }

  @Test
  void refusesFilesThatCannotBeMultiplied() throws IOException {
    assertRefused(ExitCode.BAD_INPUT, "@/a.npy @/a.npy @/c.npy", "2 x 3 by 2 x 3 gives no 2 x 3");
    assertRefused(ExitCode.BAD_INPUT, "@/a.npy @/none.npy @/c.npy", "none.npy");
    Files.writeString(folder.resolve("text.npy"), "no matrix");
    assertRefused(ExitCode.BAD_INPUT, "@/text.npy @/b.npy @/c.npy", "is no NumPy file");
    assertRefused(ExitCode.USAGE, "@/a.npy @/b.npy", "FILE");
  }

  private void assertRefused(ExitCode code, String files, String reason) {
    Shell.Result result = shell.run("multiply " + files);
    assertEquals(code, result.code(), result.err());
    assertTrue(result.err().contains(reason), result.err());
    assertFalse(Files.exists(folder.resolve("c.npy")), "a product that was refused");
  }
}
