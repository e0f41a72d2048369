package dev.tigris.flow;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Opens streams of one kind, each time a flow is started. Memory and files come with Tigris. A
/// user adds a kind by extending [Stream], and checks it with
/// [dev.tigris.flow.testing.StreamContract].
///
/// Thread rule: a module's own thread opens its streams. If both ends have a module in this JVM,
/// the first of the two opens it.
@FunctionalInterface
public interface StreamKind {
  /// The ends that modules may have of the streams of one kind.
  enum Ends {
    /// The two ends, at once: what is put is taken by another module of the flow.
    BOTH,
    /// The sending end alone: what is put leaves the flow here.
    SENDER,
    /// The receiving end alone: what is taken comes from elsewhere.
    RECEIVER,
    /// Either one, or the two.
    ANY
  }

  /// Opens a stream for its place in a flow. The engine closes the stream.
  Stream open(Place place) throws IOException;

  /// Returns which ends modules may have. The engine refuses a stream whose other end would be
  /// missing.
  default Ends ends() {
    return Ends.ANY;
  }

  /// Returns whether an end in another process waits for the end here: a module that ends before
  /// the stream is attached to it opens the stream all the same, and tells the other end.
  default boolean isBetweenProcesses() {
    return false;
  }

  /// Returns a description for people and for [FlowGraph#fingerprint]: equal in all processes that
  /// describe a flow in the same way.
  default String description() {
    return FlowGraph.nameOf(this);
  }

  /// Returns the files that its streams read, so that a run on several hosts can have the replica
  /// where they lie; an empty list if it reads none, or from anywhere.
  default List<Path> reads() {
    return List.of();
  }

  /// Returns this kind with a window of its own, between 1 and 1,048,576, in place of the
  /// reservoir's. A feed of a user's kind needs this, since it has no reservoir. A window has no
  /// effect on files, whose waters are never on their way.
  default StreamKind withWindow(int waters) {
    return new WindowedKind(this, Place.checkWindow(waters));
  }

  /// The place of a stream in its flow.
  ///
  /// @param name the stream's name, unique in the flow, such as `map[0]->reduce[3]`
  /// @param window how many waters may be on their way before the sender has to wait
  /// @param owner hears of what is written, and decides when it gets its name; null if the flow
  ///     alone does
  record Place(String name, int window, @Nullable OutputOwner owner) {
    /// The largest window. A memory stream has a slot for each water of it, so this bounds what one
    /// takes before anything is put: eight megabytes.
    static final int MOST_WINDOW = 1 << 20;

    /// The temporary name of an output begins with up to this many characters of its name, which
    /// leaves room for the rest at four bytes a character.
    private static final int MOST_CHARACTERS = 50;

    /// The same, where the name has an owner's mark, too.
    private static final int MOST_WITH_MARK = 30;

    /// Makes a place whose window is between 1 and 1,048,576.
    public Place {
      window = checkWindow(window);
    }

    /// Makes a place in a flow that decides on its outputs alone.
    public Place(String name, int window) {
      this(name, window, null);
    }

    /// Returns a name beside a file or folder that this stream will write: to write it under until
    /// it is whole. The owner hears of it first, if there is one.
    ///
    /// @param target the file or folder, with an absolute path
    /// @throws IOException if the owner cannot note it, or the path does not name anything
    public Path temporary(Path target) throws IOException {
      Path name = target.getFileName();
      if (name == null) {
        throw new IOException(target + " does not name a file");
      }
      String all = name.toString();
      int most = owner == null ? MOST_CHARACTERS : MOST_WITH_MARK;
      boolean isLong = all.codePointCount(0, all.length()) > most;
      String beginning = isLong ? all.substring(0, all.offsetByCodePoints(0, most)) : all;
      String mark = owner == null ? "" : owner.mark() + ".";
      String unique = Long.toHexString(new SplittableRandom().nextLong());
      Path temporary = target.resolveSibling("." + beginning + "." + mark + unique + ".partial");
      if (owner != null) {
        owner.making(temporary, target);
      }
      return temporary;
    }

    static int checkWindow(int window) {
      if (window < 1 || window > MOST_WINDOW) {
        throw new IllegalArgumentException(
            "a window of %d waters: it must be between 1 and %d".formatted(window, MOST_WINDOW));
      }
      return window;
    }
  }

  /// Returns the kind of streams between two stages of a flow in this JVM, which copy nothing. They
  /// cannot feed or drain a stage: their other end would be in no flow, and no engine would end its
  /// waits.
  static StreamKind memory() {
    return MemoryKind.MEMORY;
  }
}
