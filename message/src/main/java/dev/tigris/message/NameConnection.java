package dev.tigris.message;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A connection between a process and the name server: lines of UTF-8, whose fields are separated
/// by tabs. The first field says what the line is.
///
/// ```text
///   process                                       name server
///   hello     lowest version | highest    -->
///                                         <--     welcome  version
///                                         <--     refused  lowest | highest, then the end
///   register  tag | provider | address | name -->
///                                         <--     ok  name  or  refused  name | why
///   withdraw  name                        -->
///   find      tag | name                  -->
///                                         <--     at  provider | address, for each
///                                         <--     end,  absent  or  wrong-tag
/// ```
///
/// Thread rule: any thread writes, one thread reads.
final class NameConnection implements AutoCloseable {
  static final String HELLO = "hello";
  static final String WELCOME = "welcome";
  static final String REFUSED = "refused";
  static final String REGISTER = "register";
  static final String OK = "ok";
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

  private final SocketChannel channel;
  private final ByteBuffer input = ByteBuffer.allocate(LINE_BYTES).flip();

  NameConnection(SocketChannel channel) {
    this.channel = channel;
  }

  /// Connects to the name server.
  ///
  /// @throws IOException if none listens, or it speaks other versions
  static NameConnection open(Path socket) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    NameConnection made = new NameConnection(channel);
    try {
      boolean _ = channel.connect(UnixDomainSocketAddress.of(socket));
      made.say(HELLO, "" + LOWEST_VERSION, "" + HIGHEST_VERSION);
      List<String> answer = made.next();
      if (answer == null || !answer.getFirst().equals(WELCOME)) {
        throw new IOException(
            answer == null || answer.size() < 3
                ? "the name server has ended the connection"
                : "the name server speaks versions %s to %s, and this side %d to %d"
                    .formatted(answer.get(1), answer.get(2), LOWEST_VERSION, HIGHEST_VERSION));
      }
      return made;
    } catch (IOException | RuntimeException e) {
      made.close();
      throw e;
    }
  }

  /// Asks one question over a connection of its own.
  ///
  /// @return the lines of the answer, the last of which says how it ends; an empty list if no
  ///     server answers in time
  static List<List<String>> ask(Path socket, Duration timeout, String... question) {
    List<List<String>> answer = new ArrayList<>();
    try (NameConnection connection = open(socket)) {
      Thread limit =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      Thread.sleep(timeout);
                      connection.cut();
                    } catch (InterruptedException e) {
                      // the answer is there
                    }
                  });
      try {
        connection.say(question);
        for (List<String> line = connection.next(); line != null; line = connection.next()) {
          answer.add(line);
          if (!line.getFirst().equals(AT)) {
            return answer;
          }
        }
      } finally {
        limit.interrupt();
      }
    } catch (IOException e) {
      // another process is about to take over
    }
    return List.of();
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

  /// Writes a line.
  ///
  /// @throws IOException if the connection has ended
  void say(String... fields) throws IOException {
    byte[] line = (String.join("\t", fields) + "\n").getBytes(StandardCharsets.UTF_8);
    ByteBuffer output = ByteBuffer.wrap(line);
    synchronized (channel) {
      while (output.hasRemaining()) {
        int _ = channel.write(output);
      }
    }
  }

  /// Reads a line.
  ///
  /// @return its fields, of which there is one at the least; null at the end of the connection
  /// @throws IOException if the connection has failed, or a line is too long
  @Nullable List<String> next() throws IOException {
    while (true) {
      for (int i = input.position(); i < input.limit(); i++) {
        if (input.get(i) == '\n') {
          byte[] line = new byte[i - input.position()];
          input.get(line).get();
          return List.of(new String(line, StandardCharsets.UTF_8).split("\t", -1));
        }
      }
      input.compact();
      if (!input.hasRemaining()) {
        throw new IOException("a line is longer than %d bytes".formatted(LINE_BYTES));
      }
      int count = channel.read(input);
      input.flip();
      if (count < 0) {
        return null;
      }
    }
  }

  @Override
  public void close() {
    cut();
  }

  /// Ends the connection, also while another thread reads.
  void cut() {
    try {
      channel.close();
    } catch (IOException e) {
      // it has ended
    }
  }
}
