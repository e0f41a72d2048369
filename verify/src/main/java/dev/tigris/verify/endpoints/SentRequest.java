package dev.tigris.verify.endpoints;

import dev.tigris.message.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A request of a simulated run, as the simulation sees all of it.
final class SentRequest {
  /// The ways to send one.
  enum Kind {
    SHORT,
    MEDIUM,
    PREPARED,
    BULK,
    BULK_INTO;

    /// All of them.
    static final List<Kind> ALL = List.of(values());
  }

  /// The ways in which its handler goes on.
  enum Answer {
    NONE(10),
    SHORT(11),
    MEDIUM(12),
    BULK(13),
    /// It throws.
    FAILURE(14),
    /// There is no handler.
    ABSENCE(15);

    /// All of them, those that are usual more than once.
    static final List<Answer> ALL =
        List.of(
            NONE, NONE, NONE, NONE, SHORT, SHORT, SHORT, SHORT, MEDIUM, MEDIUM, MEDIUM, BULK, BULK,
            BULK, FAILURE, ABSENCE);

    /// The number of the handler that does so.
    final int handler;

    Answer(int handler) {
      this.handler = handler;
    }
  }

  /// The failure of a handler that is asked to fail.
  static final class AskedFor extends RuntimeException {
    private static final long serialVersionUID = 1;

    AskedFor() {
      super("it was asked to fail", null, false, false);
    }
  }

  final int id;
  final Kind kind;
  final Answer answer;

  /// Where in its pattern the payload begins, and how long it is.
  final int offset;

  final int length;
  int ran;
  int replies;
  int freed;
  int repliesFreed;
  @Nullable Reason returned;

  /// Whether its session has ended, so that a reply may have been lost.
  boolean isCutOff;

  /// Whether its sender has died, so that no promise is left but the first.
  boolean isOrphan;

  SentRequest(int id, Kind kind, Answer answer, int offset, int length) {
    this.id = id;
    this.kind = kind;
    this.answer = answer;
    this.offset = offset;
    this.length = length;
  }

  boolean isBulk() {
    return kind == Kind.BULK || kind == Kind.BULK_INTO;
  }

  private boolean wantsReply() {
    return answer == Answer.SHORT || answer == Answer.MEDIUM || answer == Answer.BULK;
  }

  /// Whether nothing more is to come of it.
  boolean isSettled() {
    boolean isFree = !isBulk() || freed == 1;
    boolean hasEnded =
        returned != null
            || switch (answer) {
              case NONE -> ran == 1;
              case SHORT, MEDIUM, BULK -> ran == 1 && (replies == 1 || isCutOff);
              case FAILURE -> ran == 1 && isCutOff;
              case ABSENCE -> isCutOff; // it was acknowledged, and what came back was lost
            };
    return isOrphan || (isFree && hasEnded);
  }

  /// Its handler runs.
  void runs() {
    require(++ran == 1, "its handler runs twice");
    require(answer != Answer.ABSENCE, "it has no handler, and ran");
    require(returned != Reason.NOT_DELIVERED, "it came back as not delivered, and runs");
  }

  /// Its reply arrives.
  void isReplied() {
    require(++replies == 1, "its reply comes twice");
    require(ran == 1 && wantsReply(), "there can be no reply");
    require(returned == null, "it came back, and a reply comes");
  }

  /// It comes back.
  void comesBack(Reason reason) {
    require(returned == null, "it comes back twice, now as " + reason);
    returned = reason;
    boolean isRight =
        switch (reason) {
          case NOT_DELIVERED -> ran == 0;
          case MAY_HAVE_RUN -> true;
          case NO_HANDLER -> answer == Answer.ABSENCE;
          case HANDLER_FAILED -> answer == Answer.FAILURE && ran == 1;
          case TOO_LONG -> false;
        };
    require(isRight, "it cannot come back as " + reason);
  }

  /// Its memory is the program's again.
  void isFreed() {
    require(++freed == 1, "its memory comes back twice");
  }

  void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError("%s: %s".formatted(otherwise, this));
    }
  }

  @Override
  public String toString() {
    return "request %d (%s, %s, %d bytes; ran %d, replies %d, returned %s, freed %d%s%s)"
        .formatted(
            id,
            kind,
            answer,
            length,
            ran,
            replies,
            returned,
            freed,
            isCutOff ? ", cut off" : "",
            isOrphan ? ", its sender died" : "");
  }
}
