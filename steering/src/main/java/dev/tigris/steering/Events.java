package dev.tigris.steering;

import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What has happened in a run, the last [#MOST] of it. Each is an event of Flight Recorder, too.
///
/// Thread rule: any thread.
final class Events {
  /// How many are kept: those of a run that is resized and loses processes for a day.
  static final int MOST = 1000;

  /// A text that is longer is cut.
  static final int LONGEST = 1000;

  /// One event.
  ///
  /// @param number which one, from 1
  /// @param time when, as ISO 8601 has it
  /// @param kind what kind of event
  /// @param text what has happened
  record Event(long number, String time, String kind, String text) {
    Map<String, @Nullable Object> members() {
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("number", number);
      members.put("time", time);
      members.put("kind", kind);
      members.put("text", text);
      return members;
    }
  }

  private final String run;
  private final Clock clock;
  private final Deque<Event> last = new ArrayDeque<>();
  private long count;

  Events(String run, Clock clock) {
    this.run = run;
    this.clock = clock;
  }

  synchronized void add(String kind, String told) {
    String text = told.length() <= LONGEST ? told : told.substring(0, LONGEST) + "...";
    count++;
    if (last.size() == MOST) {
      last.removeFirst();
    }
    last.addLast(new Event(count, clock.instant().toString(), kind, text));
    RunEvent recorded = new RunEvent();
    if (recorded.shouldCommit()) {
      recorded.run = run;
      recorded.kind = kind;
      recorded.text = text;
      recorded.commit();
    }
  }

  /// Returns those that are kept, behind a number.
  synchronized List<Event> after(long number) {
    List<Event> found = new ArrayList<>();
    for (Event each : last) {
      if (each.number() > number) {
        found.add(each);
      }
    }
    return found;
  }
}
