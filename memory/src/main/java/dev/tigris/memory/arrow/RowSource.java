package dev.tigris.memory.arrow;

import dev.tigris.memory.arrow.Messages.Message;
import dev.tigris.memory.arrow.Sink.Block;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The messages with rows and dictionaries of a file or a stream, whichever it is. The dictionaries
/// of a file come first, wherever they lie.
///
/// Thread rule: one thread.
final class RowSource implements AutoCloseable {
  private final Messages messages;
  private final List<Field> fields;

  /// The blocks of the footer that were not read yet; null if messages are read in their order.
  private final @Nullable Deque<Block> blocks;

  private boolean isEnded;

  private RowSource(Messages messages) throws IOException {
    this.messages = messages;
    if (messages.takeMagic() && messages.isFile()) {
      FlatTable footer = messages.footer();
      this.fields = SchemaReader.read(footer.required(1, "schema"), footer.shortField(0, 0));
      this.blocks = new ArrayDeque<>(blocks(footer, 2));
      blocks.addAll(blocks(footer, 3));
    } else {
      Message first = messages.next();
      if (first == null || first.kind() != Metadata.SCHEMA) {
        throw new ArrowException(
            first == null
                ? "there are no bytes: an Arrow file or stream has a schema at least"
                : "the first message is no schema: these are not Arrow's bytes, or damaged");
      }
      this.fields = SchemaReader.read(first.header(), first.version());
      this.blocks = null;
    }
  }

  static RowSource open(Path file) throws IOException {
    if (Files.isRegularFile(file)) {
      FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
      try {
        return new RowSource(Messages.of(channel));
      } catch (Throwable e) {
        channel.close();
        throw e;
      }
    }
    InputStream in = Files.newInputStream(file);
    try {
      return new RowSource(Messages.of(in));
    } catch (Throwable e) {
      in.close();
      throw e;
    }
  }

  static RowSource of(InputStream in) throws IOException {
    return new RowSource(Messages.of(in));
  }

  private static List<Block> blocks(FlatTable footer, int index) throws ArrowException {
    int blockBytes = 3 * Long.BYTES;
    FlatTable.Vector vector = footer.vector(index, blockBytes);
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < vector.count(); i++) {
      int at = i * blockBytes;
      blocks.add(
          new Block(
              footer.longOf(vector, at),
              footer.intOf(vector, at + Long.BYTES),
              footer.longOf(vector, at + 2 * Long.BYTES)));
    }
    return blocks;
  }

  List<Field> fields() {
    return fields;
  }

  boolean hasFooter() {
    return blocks != null;
  }

  /// Returns the next message with rows or a dictionary, or null at the end.
  @Nullable Message next() throws IOException {
    if (blocks != null) {
      Block block = blocks.poll();
      return block == null ? null : checked(messages.at(block));
    }
    Message message = isEnded ? null : messages.next();
    isEnded = message == null; // a footer may follow, which is no message
    return message == null ? null : checked(message);
  }

  private static Message checked(Message message) throws ArrowException {
    if (message.kind() != Metadata.ROWS && message.kind() != Metadata.DICTIONARY) {
      throw new ArrowException(
          "a message of the kind %d stands where rows or a dictionary should be"
              .formatted(message.kind()));
    }
    return message;
  }

  @Override
  public void close() throws IOException {
    messages.close();
  }
}
