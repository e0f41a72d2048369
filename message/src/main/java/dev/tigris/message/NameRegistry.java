package dev.tigris.message;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The table of a name server: which process has registered which endpoints. A name belongs to one
/// process, as long as its connection lasts.
///
/// Thread rule: any thread.
final class NameRegistry {
  /// The most names of a process.
  static final int MOST_NAMES = 1 << 16;

  private final Map<String, Entry> entries = new HashMap<>();
  private final Map<Object, Integer> counts = new HashMap<>();

  /// An endpoint.
  ///
  /// @param owner the connection of its process
  private record Entry(Object owner, long tag, List<NameService.Location> locations) {}

  /// Registers an endpoint at one more address.
  ///
  /// @return why that is refused; null if it is not
  synchronized @Nullable String register(
      Object owner, String name, long tag, NameService.Location location) {
    Entry entry = entries.get(name);
    if (entry == null) {
      if (counts.getOrDefault(owner, 0) >= MOST_NAMES) {
        return "the process has %d names already".formatted(MOST_NAMES);
      }
      counts.merge(owner, 1, Integer::sum);
      entry = new Entry(owner, tag, new ArrayList<>());
      entries.put(name, entry);
    } else if (!entry.owner().equals(owner)) {
      return "another process has registered it";
    } else if (entry.tag() != tag) {
      return "it is registered with another tag";
    }
    if (!entry.locations().contains(location)) {
      entry.locations().add(location);
    }
    return null;
  }

  /// Removes a name of a process.
  synchronized void withdraw(Object owner, String name) {
    Entry entry = entries.get(name);
    if (entry != null && entry.owner().equals(owner)) {
      entries.remove(name);
      counts.merge(owner, -1, Integer::sum);
    }
  }

  /// Removes all names of a process, whose connection has ended.
  synchronized void withdrawAll(Object owner) {
    entries.values().removeIf(entry -> entry.owner().equals(owner));
    counts.remove(owner);
  }

  /// Returns where an endpoint is.
  ///
  /// @return an empty list if its tag is another one; null if the name is not registered
  synchronized @Nullable List<NameService.Location> find(String name, long tag) {
    Entry entry = entries.get(name);
    if (entry == null) {
      return null;
    }
    return entry.tag() == tag ? List.copyOf(entry.locations()) : List.of();
  }
}
