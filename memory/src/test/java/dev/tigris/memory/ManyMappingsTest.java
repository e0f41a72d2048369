package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManyMappingsTest {
  /// Owns many files at once, and changes each.
  static final class Owner {
    private static final int FILES = 64;

    public static void main(String[] arguments) throws IOException {
      List<Jbuf> owned = new ArrayList<>();
      for (int i = 0; i < FILES; i++) {
        Path file = Path.of(System.getProperty("owner.folder"), "file" + i);
        Jbuf jbuf = Jbuf.map(file, Mapping.DURABLE, 4096);
        jbuf.asBytes().set(0, (byte) i);
        jbuf.flush();
        owned.add(jbuf);
      }
      System.out.println("owns " + owned.size());
    }
  }

  @Test
  void aProcessOwnsManyFilesWithLittleMemoryOfTheJvm(@TempDir Path folder) throws Exception {
    String where = "-Downer.folder=" + folder;
    assertEquals(
        "owns 64\n",
        Jvm.of(Owner.class).options("-XX:MaxDirectMemorySize=4m", where).command().output());
  }
}
