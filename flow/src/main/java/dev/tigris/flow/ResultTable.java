package dev.tigris.flow;

import dev.tigris.memory.Container;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The results that the modules of one run have told in this process.
///
/// Thread rule: any thread; this object's lock holds all.
final class ResultTable {
  private static final int MOST_NAME_BYTES = 1024;

  private final Map<String, Results.Tally> numbers = new TreeMap<>();
  private final List<Results.Objects> objects = new ArrayList<>();
  private long bytes;

  /// Returns what a module tells its results.
  ModuleResults of(Operation.End module) {
    return new ModuleResults() {
      @Override
      public void add(String name, long amount) {
        tell(name, new Results.Tally(Results.Kind.SUM, amount));
      }

      @Override
      public void max(String name, long value) {
        tell(name, new Results.Tally(Results.Kind.LARGEST, value));
      }

      @Override
      public void min(String name, long value) {
        tell(name, new Results.Tally(Results.Kind.SMALLEST, value));
      }

      @Override
      public void put(String name, Container container) {
        keep(module, checked(name), container);
      }

      @Override
      public void put(String name, byte[] bytes) {
        keep(module, checked(name), bytes.clone());
      }
    };
  }

  private synchronized void tell(String name, Results.Tally number) {
    numbers.merge(checked(name), number, (one, other) -> one.merge(name, other));
  }

  private static String checked(String name) {
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    if (name.isBlank() || length > MOST_NAME_BYTES) {
      throw new IllegalArgumentException(
          "a result has a name of 1 to %d bytes, not '%s'".formatted(MOST_NAME_BYTES, name));
    }
    return name;
  }

  private synchronized void keep(Operation.End module, String name, Container container) {
    long used = container.usedBytes();
    requireRoom(name, used);
    byte[] copy = new byte[(int) used];
    MemorySegment.copy(container.segment(), ValueLayout.JAVA_BYTE, 0, copy, 0, copy.length);
    keep(module, name, copy);
  }

  private synchronized void keep(Operation.End module, String name, byte[] copy) {
    requireRoom(name, copy.length);
    bytes += copy.length;
    objects.add(
        new Results.Objects(
            name, module.name(), module.index(), objects.size(), ByteBuffer.wrap(copy)));
  }

  private void requireRoom(String name, long used) {
    if (used > ModuleResults.MOST_BYTES - bytes) {
      throw new IllegalArgumentException(
          "the objects of result '%s' have %d bytes, and %d are left of the %d of a run: write them to a drain"
              .formatted(name, used, ModuleResults.MOST_BYTES - bytes, ModuleResults.MOST_BYTES));
    }
  }

  /// Returns what was told so far.
  synchronized Results results() {
    return new Results(numbers, objects);
  }
}
