package dev.tigris.sort;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A process that has used up the descriptors it may have, first when it makes a temporary folder,
/// then when it closes one.
final class FolderWithoutDescriptors {
  private FolderWithoutDescriptors() {}

  /// Prints what is left after either.
  ///
  /// @param arguments a folder with nothing in it
  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    // No class can be loaded later.
    new TemporaryFolder(folder.resolve("first")).close();
    try {
      new TemporaryFolder(folder.resolve("missing/first")).close();
    } catch (SortException e) {
      System.out.println(e.kind());
    }
    List<InputStream> taken = takeAll();
    try {
      new TemporaryFolder(folder.resolve("second")).close();
      System.out.println("there was a descriptor left");
    } catch (SortException e) {
      release(taken);
      System.out.println(folder.toFile().list().length + " left of one that could not be made");
    }
    TemporaryFolder made = new TemporaryFolder(folder.resolve("third"));
    Files.write(made.resolve("output"), new byte[1]);
    taken = takeAll();
    made.close();
    release(taken);
    System.out.println(folder.toFile().list().length + " left of one that was closed");
  }

  private static List<InputStream> takeAll() {
    List<InputStream> all = new ArrayList<>();
    while (true) {
      try {
        all.add(Files.newInputStream(Path.of("/dev/null")));
      } catch (IOException e) {
        return all;
      }
    }
  }

  private static void release(List<InputStream> all) throws IOException {
    for (InputStream each : all) {
      each.close();
    }
  }
}
