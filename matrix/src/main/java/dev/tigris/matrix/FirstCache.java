package dev.tigris.matrix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/// The first cache of data that a processor has, as Linux tells it.
final class FirstCache {
  private static final Path FOLDER = Path.of("/sys/devices/system/cpu/cpu0/cache");

  /// The least that processors of servers have.
  private static final int USUAL_KIB = 32;

  private static final int MOST_KIB = 256;

  private FirstCache() {}

  /// Returns its size in bytes, or a usual one where it is not told.
  static int bytes() {
    return bytes(FOLDER);
  }

  /// @param folder with a folder for each cache
  static int bytes(Path folder) {
    for (int i = 0; i < 4; i++) {
      Path cache = folder.resolve("index" + i);
      try {
        boolean isOfData = Set.of("Data", "Unified").contains(line(cache, "type"));
        String size = line(cache, "size");
        if (isOfData && line(cache, "level").equals("1") && size.matches("[0-9]{1,4}K")) {
          int kib = Integer.parseInt(size.substring(0, size.length() - 1));
          return Math.clamp(kib, USUAL_KIB / 2, MOST_KIB) << 10;
        }
      } catch (IOException e) {
        break; // it has no more, or tells nothing
      }
    }
    return USUAL_KIB << 10;
  }

  private static String line(Path cache, String name) throws IOException {
    return Files.readString(cache.resolve(name)).strip();
  }
}
