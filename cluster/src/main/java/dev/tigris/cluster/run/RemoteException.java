package dev.tigris.cluster.run;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// An exception that another process has thrown. Its message has the name of its class and its
/// message there, and its stack trace and its causes are those of there.
public final class RemoteException extends Exception {
  private static final long serialVersionUID = 1;

  private static final int MOST_CAUSES = 16;
  private static final int MOST_FRAMES = 256;

  private final String className;

  private RemoteException(
      String className, String message, @Nullable RemoteException cause, StackTraceElement[] at) {
    super(message.isEmpty() ? className : className + ": " + message, cause, true, true);
    this.className = className;
    setStackTrace(at);
  }

  /// Returns the name of the class of the exception there.
  public String className() {
    return className;
  }

  /// Writes an exception, with its causes.
  static void write(DataOutputStream out, Throwable thrown) throws IOException {
    write(out, thrown, MOST_CAUSES);
  }

  private static void write(DataOutputStream out, @Nullable Throwable thrown, int most)
      throws IOException {
    out.writeBoolean(thrown != null && most > 0);
    if (thrown == null || most == 0) {
      return;
    }
    Wire.writeText(out, thrown.getClass().getName());
    Wire.writeText(out, Objects.requireNonNullElse(message(thrown), ""));
    StackTraceElement[] frames = frames(thrown);
    int count = Math.min(frames.length, MOST_FRAMES);
    out.writeInt(count);
    for (int i = 0; i < count; i++) {
      Wire.writeText(out, frames[i].getClassName());
      Wire.writeText(out, frames[i].getMethodName());
      Wire.writeText(out, Objects.requireNonNullElse(frames[i].getFileName(), ""));
      out.writeInt(frames[i].getLineNumber());
    }
    write(out, cause(thrown), most - 1);
  }

  /// Returns an exception and its causes, so many as are looked at.
  static List<Throwable> causes(Throwable thrown) {
    List<Throwable> all = new ArrayList<>();
    for (Throwable each = thrown; each != null && all.size() < MOST_CAUSES; each = cause(each)) {
      all.add(each);
    }
    return all;
  }

  /// An exception is anybody's, and may throw as it is asked for its message.
  private static @Nullable String message(Throwable thrown) {
    try {
      return thrown.getMessage();
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      return "(its message cannot be made: " + e.getClass().getName() + ")";
    }
  }

  private static StackTraceElement[] frames(Throwable thrown) {
    try {
      return Objects.requireNonNullElse(thrown.getStackTrace(), new StackTraceElement[0]);
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      return new StackTraceElement[0];
    }
  }

  private static @Nullable Throwable cause(Throwable thrown) {
    try {
      return thrown.getCause();
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      return e;
    }
  }

  /// Reads an exception, or null if none was written.
  static @Nullable RemoteException read(DataInputStream in) throws IOException {
    return read(in, MOST_CAUSES);
  }

  private static @Nullable RemoteException read(DataInputStream in, int most) throws IOException {
    if (!in.readBoolean()) {
      return null;
    }
    if (most == 0) {
      throw new IOException("an exception has more than %d causes".formatted(MOST_CAUSES));
    }
    String className = Wire.readText(in);
    String message = Wire.readText(in);
    int count = in.readInt();
    if (count < 0 || count > MOST_FRAMES) {
      throw new IOException("a stack trace of %d frames".formatted(count));
    }
    StackTraceElement[] frames = new StackTraceElement[count];
    for (int i = 0; i < count; i++) {
      String type = Wire.readText(in);
      String method = Wire.readText(in);
      String file = Wire.readText(in);
      frames[i] = new StackTraceElement(type, method, file.isEmpty() ? null : file, in.readInt());
    }
    return new RemoteException(className, message, read(in, most - 1), frames);
  }
}
