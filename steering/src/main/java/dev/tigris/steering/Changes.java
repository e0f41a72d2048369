package dev.tigris.steering;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The changes of a run that clients have asked for. Each says on which *revision* of the run it is
/// based, and has an id that its client has chosen: the answer to an id is always the same one.
///
/// ```
/// revision = 1 + changes that were accepted + attempts that followed the first
/// ```
///
/// Thread rule: any thread.
final class Changes {
  /// How many ids a run keeps. Ids are bounded ([#LONGEST_ID]), and so is what they take: 4 MiB.
  static final int MOST = 10_000;

  static final int LONGEST_ID = 100;

  /// How long the words of all changes together may be, in characters.
  static final int MOST_WORDS = 16 << 20;

  /// What has become of a change.
  enum State {
    GOING,
    DONE,
    FAILED
  }

  /// How far a change has come.
  ///
  /// @param state what has become of it
  /// @param text whom it waits for, or why it has failed; empty if there is nothing to tell
  record Outcome(State state, String text) {}

  /// A change that was accepted.
  ///
  /// @param id as its client has chosen it
  /// @param what was asked for
  /// @param revision which the run has since
  /// @param state tells what has become of it
  private record Change(String id, String what, long revision, Supplier<Outcome> state) {
    Map<String, @Nullable Object> members() {
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("id", id);
      members.put("change", what);
      members.put("revision", revision);
      return members;
    }
  }

  /// Begins a change, and returns what tells how far it has come.
  ///
  /// An action may throw [IllegalStateException], whose message is for the client: then nothing has
  /// changed, and the id may be used again.
  interface Action {
    Supplier<Outcome> begin();
  }

  private final Map<String, Change> known = new HashMap<>();
  private long accepted;
  private long words;
  private int attempts = 1;

  /// Returns the revision.
  synchronized long revision() {
    return accepted + attempts;
  }

  /// An attempt has followed another one.
  synchronized void attempt(int number) {
    attempts = Math.max(attempts, number);
  }

  /// Makes a change, unless it was made before, or is based on another revision than this one.
  synchronized Answer ask(String id, long basedOn, String what, Action action) {
    Change before = known.get(id);
    if (before != null) {
      return before.what().equals(what)
          ? Answer.json(Answer.ACCEPTED, before.members())
          : Answer.refusal(
              Answer.CONFLICT,
              "request %s was '%s' before: choose another id".formatted(id, before.what()));
    }
    if (basedOn != revision()) {
      return Answer.refusal(
          Answer.CONFLICT,
          "the run has revision %d, and not %d: look at what has changed, and ask again"
              .formatted(revision(), basedOn));
    }
    if (!isEnd(what) && (known.size() >= MOST || words + what.length() > MOST_WORDS)) {
      return Answer.refusal(
          Answer.NOT_NOW,
          "this run was changed %,d times: it takes no more".formatted(known.size()));
    }
    Supplier<Outcome> state;
    try {
      state = action.begin();
    } catch (IllegalStateException e) {
      return Answer.refusal(Answer.CONFLICT, String.valueOf(e.getMessage()));
    }
    accepted++;
    words += what.length();
    Change made = new Change(id, what, revision(), state);
    known.put(id, made);
    return Answer.json(Answer.ACCEPTED, made.members());
  }

  /// Returns whether a change ends the run: such are taken however many there were before.
  private boolean isEnd(String what) {
    return (what.equals("stop") || what.equals("cancel")) && known.size() < 2 * MOST;
  }

  /// Returns what has become of a change.
  synchronized Answer find(String id) {
    Change change = known.get(id);
    if (change == null) {
      return Answer.refusal(Answer.NOT_FOUND, "no change has this id");
    }
    Map<String, @Nullable Object> members = change.members();
    Outcome outcome = change.state().get();
    members.put("state", outcome.state().name().toLowerCase(Locale.ROOT));
    members.put("text", outcome.text());
    return Answer.json(Answer.OK, members);
  }
}
