package dev.tigris.message;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The table of a name server: which process has registered which endpoints. A name belongs to one
/// process, as long as its connection lasts. Others that want it wait, in the order in which they
/// came.
///
/// ```text
///   name --> entry of the process that has it --> entry of the next one --> ...
/// ```
///
/// Thread rule: any thread.
final class NameRegistry {
  /// The most names of a process, with those that it waits for.
  static final int MOST_NAMES = 1 << 16;

  private final Map<String, ArrayDeque<Entry>> entries = new HashMap<>();
  private final Map<Object, Integer> counts = new HashMap<>();

  /// The answers to a registration.
  enum Answer {
    /// The process has the name.
    GRANTED,
    /// Another process has it, and it is granted when that has withdrawn it, or has ended.
    WAITS,
    /// The process has too many names.
    TOO_MANY,
    /// The process has registered it with another tag.
    OTHER_TAG
  }

  /// A name that was granted to a process that has waited for it.
  ///
  /// @param owner the connection of the process
  /// @param registration the number that the process has given to its registration
  record Granted(Object owner, String name, String registration) {}

  /// An endpoint.
  ///
  /// @param owner the connection of its process
  private record Entry(
      Object owner, String registration, long tag, List<NameService.Location> locations) {}

  /// Registers an endpoint at one more address.
  ///
  /// @param registration the number that the process has given to it
  synchronized Answer register(
      Object owner, String registration, String name, long tag, NameService.Location location) {
    ArrayDeque<Entry> line = entries.computeIfAbsent(name, key -> new ArrayDeque<>(1));
    Entry entry = entryOf(line, owner);
    if (entry == null) {
      if (counts.getOrDefault(owner, 0) >= MOST_NAMES) {
        if (line.isEmpty()) {
          entries.remove(name);
        }
        return Answer.TOO_MANY;
      }
      counts.merge(owner, 1, Integer::sum);
      entry = new Entry(owner, registration, tag, new ArrayList<>());
      line.add(entry);
    } else if (entry.tag() != tag) {
      return Answer.OTHER_TAG;
    }
    if (!entry.locations().contains(location)) {
      entry.locations().add(location);
    }
    return entry.equals(line.getFirst()) ? Answer.GRANTED : Answer.WAITS;
  }

  private static @Nullable Entry entryOf(ArrayDeque<Entry> line, Object owner) {
    for (Entry entry : line) {
      if (entry.owner().equals(owner)) {
        return entry;
      }
    }
    return null;
  }

  /// Removes a name of a process, or its wish for it.
  ///
  /// @return the process that has the name by that; null if none has
  synchronized @Nullable Granted withdraw(Object owner, String name) {
    ArrayDeque<Entry> line = entries.get(name);
    Entry entry = line == null ? null : entryOf(line, owner);
    if (line == null || entry == null) {
      return null;
    }
    boolean had = entry.equals(line.getFirst());
    line.remove(entry);
    counts.merge(owner, -1, Integer::sum);
    if (line.isEmpty()) {
      entries.remove(name);
      return null;
    }
    if (!had) {
      return null;
    }
    Entry next = line.getFirst();
    return new Granted(next.owner(), name, next.registration());
  }

  /// Removes all names of a process, whose connection has ended.
  ///
  /// @return the processes that have names by that
  synchronized List<Granted> withdrawAll(Object owner) {
    List<Granted> granted = new ArrayList<>();
    List<String> its =
        entries.entrySet().stream()
            .filter(each -> entryOf(each.getValue(), owner) != null)
            .map(Map.Entry::getKey)
            .toList();
    for (String name : its) {
      Granted next = withdraw(owner, name);
      if (next != null) {
        granted.add(next);
      }
    }
    counts.remove(owner);
    return granted;
  }

  /// Returns where an endpoint is.
  ///
  /// @return an empty list if its tag is another one; null if the name is not registered
  synchronized @Nullable List<NameService.Location> find(String name, long tag) {
    ArrayDeque<Entry> line = entries.get(name);
    if (line == null) {
      return null;
    }
    Entry entry = line.getFirst();
    return entry.tag() == tag ? List.copyOf(entry.locations()) : List.of();
  }
}
