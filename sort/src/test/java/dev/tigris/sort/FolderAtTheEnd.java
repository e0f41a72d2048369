package dev.tigris.sort;

import java.nio.file.Files;
import java.nio.file.Path;

/// A process that is ended while it has a folder of files, and moves that to its place at the worst
/// moment: when some of the files are deleted.
final class FolderAtTheEnd {
  private static final int FILES = 20_000;

  private FolderAtTheEnd() {}

  /// Prints when it can be ended, and what became of the move then.
  ///
  /// @param arguments the place
  public static void main(String[] arguments) throws Exception {
    Path place = Path.of(arguments[0]);
    TemporaryFolder made = new TemporaryFolder(place);
    Path output = Files.createDirectory(made.resolve(TemporaryFolder.OUTPUT));
    for (int i = 0; i < FILES; i++) {
      Files.createFile(output.resolve(Integer.toString(i)));
    }
    System.out.println("ready");
    int left = FILES;
    while (left == FILES) {
      String[] names = output.toFile().list();
      left = names == null ? 0 : names.length;
    }
    try {
      made.publish(TemporaryFolder.OUTPUT, place, false);
      System.out.println(left + " of " + FILES + " files or less are in their place");
    } catch (SortException e) {
      System.out.println(e.getMessage());
    }
  }
}
