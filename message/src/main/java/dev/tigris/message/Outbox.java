package dev.tigris.message;

import java.io.IOException;
import java.util.concurrent.LinkedBlockingQueue;

/// What a process has to say to the name server, in its order. A thread of its own writes it: the
/// server may be stopped, and those who register and withdraw do not wait for it.
///
/// Thread rule: any thread.
final class Outbox implements AutoCloseable {
  /// The most lines that wait: some for each of the names that a process may have. With more, the
  /// connection ends, and all names are told anew.
  private static final int MOST_LINES = 4 * NameRegistry.MOST_NAMES;

  private final LinkedBlockingQueue<String[]> lines = new LinkedBlockingQueue<>(MOST_LINES);
  private final NameConnection connection;
  private final Thread writer;

  Outbox(NameConnection connection) {
    this.connection = connection;
    this.writer = Thread.ofVirtual().name("tigris-names-writer").start(this::write);
  }

  /// Adds a line.
  void add(String... fields) {
    if (!lines.offer(fields)) {
      connection.close();
    }
  }

  private void write() {
    try {
      while (true) {
        connection.say(lines.take());
      }
    } catch (IOException e) {
      connection.close(); // the reader hears of it, too
    } catch (InterruptedException e) {
      // the connection is over
    }
  }

  @Override
  public void close() {
    writer.interrupt();
  }
}
