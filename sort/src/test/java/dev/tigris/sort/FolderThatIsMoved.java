package dev.tigris.sort;

import java.nio.file.Files;
import java.nio.file.Path;

/// A process that moves the folder of its temporary folder, and ends: what it has to say of that it
/// logs.
final class FolderThatIsMoved {
  private FolderThatIsMoved() {}

  /// Moves it to a folder beside it.
  ///
  /// @param arguments a folder that is to be made
  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createDirectory(Path.of(arguments[0]));
    try (TemporaryFolder _ = new TemporaryFolder(folder.resolve("sorted"))) {
      Files.move(folder, folder.resolveSibling("moved"));
    }
  }
}
