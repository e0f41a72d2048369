package dev.tigris.message;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A connection between a process and the name server: lines of UTF-8, whose fields are separated
/// by tabs. The first field says what the line is.
///
/// ```text
///   process                                       name server
///   hello     lowest version | highest    -->
///                                         <--     welcome  version
///                                         <--     refused  lowest | highest, then the end
///   register  tag | provider | address | number | name -->
///                                         <--     ok  name | number, waiting  name | number, or
///                                                 refused  name | number | why
///   withdraw  name                        -->
///   find      tag | name                  -->
///                                         <--     at  provider | address, for each
///                                         <--     end,  absent  or  wrong-tag
/// ```
///
/// A registration *waits* while another process has the name, and is `ok` when that has ended. It
/// has a number, so that a process knows which of its registrations of a name an answer is for.
/// Another machine connects with TLS, and may only look up.
///
/// Thread rule: any thread writes, one thread reads.
final class NameConnection implements AutoCloseable {
  static final String HELLO = "hello";
  static final String WELCOME = "welcome";
  static final String REFUSED = "refused";
  static final String REGISTER = "register";
  static final String OK = "ok";
  static final String WAITING = "waiting";
  static final String WITHDRAW = "withdraw";
  static final String FIND = "find";
  static final String AT = "at";
  static final String END = "end";
  static final String ABSENT = "absent";
  static final String WRONG_TAG = "wrong-tag";

  static final int LOWEST_VERSION = 1;
  static final int HIGHEST_VERSION = 1;

  /// The longest line, in bytes. A name has 255, and an address of a file system up to 4096.
  private static final int LINE_BYTES = 8192;

  /// The most places of an endpoint in an answer.
  private static final int MOST_PLACES = 256;

  /// The socket below: a Unix socket, or TLS over TCP.
  interface Socket extends Closeable {
    /// Connects and authenticates, unless it is connected.
    void connect() throws IOException;

    /// Reads some bytes; returns -1 at the end.
    int read(byte[] to, int at, int length) throws IOException;

    /// Writes all bytes.
    void write(byte[] bytes) throws IOException;
  }

  private final Socket socket;
  private final byte[] input = new byte[LINE_BYTES];
  private int inputBegin;
  private int inputEnd;
  private final ReentrantLock writing = new ReentrantLock();

  NameConnection(Socket socket) {
    this.socket = socket;
  }

  /// Makes a connection to the name server of this machine, for [#greet].
  static NameConnection to(Path path) throws IOException {
    return new NameConnection(UnixNameSocket.to(path));
  }

  /// Connects, and greets the server.
  ///
  /// @throws IOException if none listens, or it speaks other versions
  void greet() throws IOException {
    socket.connect();
    say(HELLO, "" + LOWEST_VERSION, "" + HIGHEST_VERSION);
    List<String> answer = next();
    if (answer == null || !answer.getFirst().equals(WELCOME)) {
      throw new IOException(
          answer == null || answer.size() < 3
              ? "the name server has ended the connection"
              : "the name server speaks versions %s to %s, and this side %d to %d"
                  .formatted(answer.get(1), answer.get(2), LOWEST_VERSION, HIGHEST_VERSION));
    }
  }

  /// Answers the greeting of a process.
  ///
  /// @return whether there is a common version
  boolean isGreeted() throws IOException {
    List<String> hello = next();
    if (hello == null || hello.size() < 3 || !hello.getFirst().equals(HELLO)) {
      return false;
    }
    int common = Math.min(Integer.parseInt(hello.get(2)), HIGHEST_VERSION);
    if (common < Math.max(Integer.parseInt(hello.get(1)), LOWEST_VERSION)) {
      say(REFUSED, "" + LOWEST_VERSION, "" + HIGHEST_VERSION);
      return false;
    }
    say(WELCOME, "" + common);
    return true;
  }

  /// Asks one question over this connection, which is closed then, with the greeting.
  ///
  /// @param limit for all of that
  /// @return the lines of the answer, the last of which says how it ends
  /// @throws SocketTimeoutException if the server does not answer in time
  /// @throws IOException if the connection fails
  List<List<String>> ask(Duration limit, String... question) throws IOException {
    List<List<String>> answer = new ArrayList<>();
    long start = System.nanoTime();
    Thread cutter = closeAfter(limit);
    try (this) {
      greet();
      say(question);
      for (List<String> line = next(); line != null; line = next()) {
        answer.add(line);
        if (!line.getFirst().equals(AT)) {
          return answer;
        }
        if (answer.size() > MOST_PLACES) {
          throw new IOException("the answer names more than %d places".formatted(MOST_PLACES));
        }
      }
      throw new IOException("the name server has ended the connection");
    } catch (IOException e) {
      if (limit.compareTo(Duration.ofNanos(System.nanoTime() - start)) <= 0) {
        SocketTimeoutException late = new SocketTimeoutException("no answer within " + limit);
        late.initCause(e);
        throw late;
      }
      throw e;
    } finally {
      cutter.interrupt();
    }
  }

  /// Has this connection end after a while, whatever its peer does.
  ///
  /// @return the thread that ends it, to be interrupted if it is over before
  Thread closeAfter(Duration limit) {
    return Thread.ofVirtual()
        .name("tigris-names-limit")
        .start(
            () -> {
              try {
                Thread.sleep(limit);
                close();
              } catch (InterruptedException e) {
                // it is over
              }
            });
  }

  /// Reads the line of a look-up.
  ///
  /// @return where the endpoint is; nowhere if it is not registered
  /// @throws MessageException if the endpoint has another tag
  static List<NameService.Location> locations(String name, List<List<String>> lines) {
    List<NameService.Location> found = new ArrayList<>();
    for (List<String> line : lines) {
      if (line.getFirst().equals(WRONG_TAG)) {
        throw new MessageException("find '%s': the endpoint has another tag".formatted(name), null);
      }
      if (line.getFirst().equals(AT) && line.size() == 3) {
        found.add(new NameService.Location(line.get(1), line.get(2)));
      }
    }
    return found;
  }

  /// Answers a look-up.
  ///
  /// @param found null if the name is not registered; empty if it has another tag
  void answer(@Nullable List<NameService.Location> found) throws IOException {
    if (found == null) {
      say(ABSENT);
    } else if (found.isEmpty()) {
      say(WRONG_TAG);
    } else {
      for (NameService.Location each : found) {
        say(AT, each.provider(), each.address());
      }
      say(END);
    }
  }

  /// Throws if a text cannot be a field of a line.
  static void requireField(String text) {
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > LINE_BYTES / 4 || text.chars().anyMatch(c -> c < ' ')) {
      throw new IllegalArgumentException(
          "'%s' must have 1 to %d bytes, without tabs and line breaks"
              .formatted(text, LINE_BYTES / 4));
    }
  }

  /// Keeps other threads from writing, until [#endAnswer].
  void beginAnswer() {
    writing.lock();
  }

  /// Lets other threads write.
  void endAnswer() {
    writing.unlock();
  }

  /// Writes a line.
  ///
  /// @throws IOException if the connection has ended
  void say(String... fields) throws IOException {
    byte[] line = (String.join("\t", fields) + "\n").getBytes(StandardCharsets.UTF_8);
    writing.lock();
    try {
      socket.write(line);
    } finally {
      writing.unlock();
    }
  }

  /// Reads a line.
  ///
  /// @return its fields, of which there is one at the least; null at the end of the connection
  /// @throws IOException if the connection has failed, or a line is too long
  @Nullable List<String> next() throws IOException {
    while (true) {
      for (int i = inputBegin; i < inputEnd; i++) {
        if (input[i] == '\n') {
          String line = new String(input, inputBegin, i - inputBegin, StandardCharsets.UTF_8);
          inputBegin = i + 1;
          return List.of(line.split("\t", -1));
        }
      }
      System.arraycopy(input, inputBegin, input, 0, inputEnd - inputBegin);
      inputEnd -= inputBegin;
      inputBegin = 0;
      if (inputEnd == LINE_BYTES) {
        throw new IOException("a line is longer than %d bytes".formatted(LINE_BYTES));
      }
      int count = socket.read(input, inputEnd, LINE_BYTES - inputEnd);
      if (count < 0) {
        return null;
      }
      inputEnd += count;
    }
  }

  /// Ends the connection, also while another thread reads.
  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // it has ended
    }
  }
}
