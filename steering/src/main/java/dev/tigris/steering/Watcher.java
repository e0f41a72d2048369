package dev.tigris.steering;

import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.RunProgress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Looks at a run from time to time: what its replicas do, who is slow, and who makes no progress.
///
/// Thread rule: [#look] by one thread; the others by any.
final class Watcher {
  /// Between how many looks the load is measured: reports of processes are a beat old at most, and
  /// over two seconds that is little.
  private static final int SPAN = 2;

  /// How many looks of history are kept. When there are more, every other one is dropped, and from
  /// then on every other one is kept: so the history is of the whole run, and bounded.
  static final int MOST_HISTORY = 600;

  /// After how many looks without a call a replica that works is told to make no progress.
  private static final int STUCK = 10;

  /// A replica that works for less of the time waits for others.
  private static final double WORKS = 0.9;

  private final ClusterRun run;
  private final Events events;
  private final Changes changes;
  private final Deque<RunProgress> recent = new ArrayDeque<>();
  private final List<Map<String, @Nullable Object>> history = new ArrayList<>();
  private final Map<String, Integer> idle = new HashMap<>();
  private int historyStep = 1;
  private int looks;

  private volatile Seen seen = Seen.NOTHING;
  private RunProgress.@Nullable Phase phase;
  private int attempt = 1;

  Watcher(ClusterRun run, Events events, Changes changes) {
    this.run = run;
    this.events = events;
    this.changes = changes;
  }

  /// What was seen at one look.
  ///
  /// @param load what the replicas did of late; [Load#NONE] until they have been seen twice
  /// @param culprit the part that limits the run, as that load tells; null if none is known
  record Seen(Load load, @Nullable Culprit culprit) {
    static final Seen NOTHING = new Seen(Load.NONE, null);
  }

  /// Returns what was seen at the last look.
  Seen seen() {
    return seen;
  }

  /// Looks once; called once a second.
  void look() {
    RunProgress now = run.progress();
    if (now.attempt() != attempt) {
      attempt = now.attempt();
      recent.clear();
      idle.clear();
      seen = Seen.NOTHING;
      changes.attempt(attempt);
      events.add("attempt", "attempt %d has begun".formatted(attempt));
    }
    if (now.phase() != phase) {
      phase = now.phase();
      events.add("phase", now.phase().name().toLowerCase(Locale.ROOT));
    }
    if (now.phase() != RunProgress.Phase.RUNNING || now.replicas().isEmpty()) {
      return;
    }
    recent.addLast(now);
    if (recent.size() == 1) {
      return; // one look tells no rate
    }
    if (recent.size() > SPAN + 1) {
      recent.removeFirst();
    }
    RunProgress before = recent.getFirst();
    Load load = Load.between(before, now);
    Culprit found = recent.size() > SPAN ? Culprit.of(run.graph(), load) : null;
    Culprit known = seen.culprit();
    seen = new Seen(load, found);
    if (found != null && (known == null || !found.isSame(known))) {
      events.add("culprit", found.name() + ": " + found.reason());
    }
    watch(load);
    keep(now, load);
  }

  /// Tells of replicas that work, or are with files, and finish no call. One that waits is never
  /// told of: its caller, or those behind it, may be slow.
  private void watch(Load now) {
    for (Load.Replica each : now.replicas()) {
      String name = each.stage() + "[" + each.replica() + "]";
      boolean isStuck = !each.isEnded() && each.callsPerSecond() == 0 && each.works() >= WORKS;
      if (!isStuck) {
        idle.remove(name);
      } else if (idle.merge(name, 1, Integer::sum) == STUCK) {
        events.add(
            "stuck",
            (each.disk() > each.busy()
                    ? "%s in process %d has been with files for %d seconds without a call"
                    : "%s in process %d has worked in one call for %d seconds")
                .formatted(name, each.process(), STUCK + SPAN));
      }
    }
  }

  private synchronized void keep(RunProgress now, Load last) {
    if (looks++ % historyStep != 0) {
      return;
    }
    if (history.size() == MOST_HISTORY) {
      for (int i = MOST_HISTORY - 1; i > 0; i -= 2) {
        history.remove(i);
      }
      historyStep *= 2;
    }
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("elapsedSeconds", Load.seconds(now.elapsedNanos()));
    Map<String, Double> rates = new LinkedHashMap<>();
    for (Load.Replica each : last.replicas()) {
      rates.merge(each.stage(), each.callsPerSecond(), Double::sum);
    }
    members.put("callsPerSecond", rates);
    Culprit known = seen.culprit();
    members.put("culprit", known == null ? null : known.name());
    history.add(members);
  }

  /// Returns how the rates of the stages were, over the whole run.
  synchronized List<Map<String, @Nullable Object>> history() {
    return List.copyOf(history);
  }
}
