// Over 400 lines: one protocol, whose messages are drawn up in one place.
package dev.tigris.testing.host;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The server of a [FaultyDisk]: the kernel's FUSE protocol (`linux/fuse.h`, version 7.31) over the
/// standard input, which is `/dev/fuse`. It is a process of its own, because a page fault of a JVM
/// that waits for a thread of the same JVM waits for ever once that stops for a collection.
final class FaultyFiles {
  static final String READY = "serving";

  /// What it prints when it holds a read.
  static final String HOLDS = "holds a read";

  /// The file that faults are written to.
  static final String CONTROL = ".faults";

  private static final int PAGE = 4096;
  private static final int MOST_WRITTEN = 128 << 10;
  private static final int HEADER = 40;
  private static final long MILLI_NANOS = 1_000_000;

  private static final int ENOENT = 2;
  private static final int EIO = 5;
  private static final int EEXIST = 17;
  private static final int ENOSPC = 28;
  private static final int ENOSYS = 38;
  private static final int ENOTEMPTY = 39;
  private static final int EOPNOTSUPP = 95;

  private static final int FOLDER = 0040000;
  private static final int LINK = 0120000;
  private static final int REGULAR = 0100000;

  private final FileInputStream in = new FileInputStream(FileDescriptor.in);
  private final FileOutputStream out = new FileOutputStream(FileDescriptor.in);
  private final Map<Long, Node> nodes = new HashMap<>();
  private final Map<String, Integer> faults = new HashMap<>();
  private final List<byte[]> held = new ArrayList<>();
  private final Node root = new Node(1, FOLDER | 0777, 0, 0);
  private final int locks;
  private long numbered = 1;
  private long pages;

  /// A file or folder.
  private static final class Node {
    final long number;
    final TreeMap<String, Node> children = new TreeMap<>();
    final TreeMap<Long, byte[]> pages = new TreeMap<>();
    byte[] link = new byte[0];
    int mode;
    int user;
    int group;
    int names = 1;
    long size;
    long seconds;
    int nanos;

    Node(long number, int mode, int user, int group) {
      this.number = number;
      this.mode = mode;
      this.user = user;
      this.group = group;
      touch();
    }

    void touch() {
      long now = System.currentTimeMillis();
      seconds = now / 1000;
      nanos = (int) (now % 1000) * 1_000_000;
    }
  }

  /// What the kernel is told instead of a result.
  private static final class Refusal extends Exception {
    private static final long serialVersionUID = 1;

    final int error;

    Refusal(int error) {
      super(null, null, false, false);
      this.error = error;
    }
  }

  private FaultyFiles(String locks) {
    this.locks = locks.isEmpty() ? 0 : Integer.parseInt(locks);
    nodes.put(1L, root);
  }

  public static void main(String[] arguments) throws IOException {
    new FaultyFiles(arguments[0]).serve();
  }

  private void serve() throws IOException {
    byte[] request = new byte[MOST_WRITTEN + PAGE];
    while (true) {
      int length;
      try {
        length = in.read(request);
      } catch (IOException e) {
        if (String.valueOf(e.getMessage()).contains("No such device")) {
          return; // it is unmounted
        }
        continue; // the request was taken back
      }
      if (length < HEADER) {
        return;
      }
      ByteBuffer message = little(ByteBuffer.wrap(request, 0, length).slice());
      int operation = message.getInt(4);
      ByteBuffer result = null;
      int error = 0;
      try {
        result = handle(operation, message, message.slice(HEADER, length - HEADER));
      } catch (Refusal e) {
        error = e.error;
      }
      boolean wantsNoReply = operation == 2 || operation == 42 || operation == 36;
      if (operation == 15 && isHeld(message)) {
        hold(message.getLong(8), error, result);
      } else if (!wantsNoReply) {
        reply(message.getLong(8), error, result);
      }
      if (operation == 26) {
        System.out.println(READY);
      }
    }
  }

  private void reply(long unique, int error, @Nullable ByteBuffer result) {
    send(message(unique, error, result));
  }

  private boolean isHeld(ByteBuffer header) {
    Node node = nodes.get(header.getLong(16));
    return node != null && node.size >= faults.getOrDefault("hold", Integer.MAX_VALUE);
  }

  /// Replies when the faults are others.
  private void hold(long unique, int error, @Nullable ByteBuffer result) {
    held.add(message(unique, error, result));
    System.out.println(HOLDS);
  }

  private static byte[] message(long unique, int error, @Nullable ByteBuffer result) {
    ByteBuffer body = result == null || error != 0 ? ByteBuffer.allocate(0) : result;
    byte[] whole = new byte[16 + body.limit()];
    int _ =
        little(ByteBuffer.wrap(whole))
            .putInt(whole.length)
            .putInt(-error)
            .putLong(unique)
            .put(body)
            .remaining();
    return whole;
  }

  private void send(byte[] message) {
    try {
      out.write(message);
    } catch (IOException e) {
      // The caller was killed meanwhile.
    }
  }

  private static ByteBuffer little(ByteBuffer buffer) {
    return buffer.order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer buffer(int bytes) {
    return little(ByteBuffer.allocate(bytes));
  }

  private @Nullable ByteBuffer handle(int operation, ByteBuffer header, ByteBuffer unordered)
      throws Refusal {
    ByteBuffer body = little(unordered);
    Node node = nodes.get(header.getLong(16));
    if (operation == 26) {
      return initialize();
    }
    if (node == null) {
      return switch (operation) {
        case 17 -> statistics();
        case 2, 36, 42 -> null;
        default -> throw new Refusal(operation == 38 ? ENOSYS : ENOENT);
      };
    }
    return switch (operation) {
      case 1 -> entry(child(node, string(body, 0)));
      case 3 -> attributes(node);
      case 4 -> setAttributes(node, body);
      case 5 -> ByteBuffer.wrap(node.link);
      case 6 -> makeLink(node, header, body);
      case 8, 9, 35 -> make(operation, node, header, body);
      case 10, 11 -> remove(node, string(body, 0));
      case 12 -> rename(node, body, 8, 0);
      case 45 -> rename(node, body, 16, body.getInt(8));
      case 13 -> addName(nodes.get(body.getLong(0)), node, string(body, 8));
      case 14 -> opened();
      case 27 -> buffer(16);
      case 15 -> read(node, body);
      case 16 -> write(node, body);
      case 17 -> statistics();
      case 20 -> failing("fsync");
      case 28 -> list(node, body);
      case 30 -> failing("fsyncdir");
      case 31, 32, 33 -> throw new Refusal(locks);
      case 43 -> fallocate(node, body);
      case 2, 18, 25, 29, 36, 42 -> null;
      default -> throw new Refusal(ENOSYS);
    };
  }

  private @Nullable ByteBuffer failing(String operation) throws Refusal {
    int error = faults.getOrDefault(operation, 0);
    if (error != 0) {
      throw new Refusal(error);
    }
    return null;
  }

  private ByteBuffer initialize() {
    int asyncRead = 1;
    int posixLocks = 2;
    int bigWrites = 32;
    int flockLocks = 1 << 10;
    int flags = asyncRead | bigWrites | (locks == 0 ? 0 : posixLocks | flockLocks);
    ByteBuffer result = buffer(64);
    result.putInt(7).putInt(31).putInt(1 << 17).putInt(flags);
    result.putShort((short) 16).putShort((short) 12).putInt(MOST_WRITTEN).putInt(1);
    return result.rewind();
  }

  private static String string(ByteBuffer body, int at) {
    int end = at;
    while (body.get(end) != 0) {
      end++;
    }
    byte[] name = new byte[end - at];
    body.get(at, name);
    return new String(name, StandardCharsets.UTF_8);
  }

  private static Node child(Node folder, String name) throws Refusal {
    Node child = folder.children.get(name);
    if (child == null) {
      throw new Refusal(ENOENT);
    }
    return child;
  }

  private ByteBuffer entry(Node node) {
    ByteBuffer result = buffer(128);
    result.putLong(node.number).putLong(0).putLong(0).putLong(0).putInt(0).putInt(0);
    putAttributes(node, result);
    return result.flip();
  }

  private static ByteBuffer attributes(Node node) {
    ByteBuffer result = buffer(104);
    result.putLong(0).putInt(0).putInt(0);
    putAttributes(node, result);
    return result.flip();
  }

  private static void putAttributes(Node node, ByteBuffer into) {
    into.putLong(node.number).putLong(node.size).putLong(node.pages.size() * (PAGE / 512L));
    for (int time = 0; time < 3; time++) {
      into.putLong(node.seconds);
    }
    for (int time = 0; time < 3; time++) {
      into.putInt(node.nanos);
    }
    into.putInt(node.mode).putInt(node.names).putInt(node.user).putInt(node.group);
    into.putInt(0).putInt(PAGE).putInt(0);
  }

  private ByteBuffer setAttributes(Node node, ByteBuffer body) {
    int valid = body.getInt(0);
    if ((valid & 1) != 0) {
      node.mode = (node.mode & 0170000) | (body.getInt(68) & 07777);
    }
    if ((valid & 2) != 0) {
      node.user = body.getInt(76);
    }
    if ((valid & 4) != 0) {
      node.group = body.getInt(80);
    }
    if ((valid & 8) != 0) {
      cut(node, body.getLong(16));
      node.size = body.getLong(16);
    }
    return attributes(node);
  }

  private void cut(Node node, long size) {
    long kept = (size + PAGE - 1) / PAGE;
    pages -= node.pages.tailMap(kept).size();
    node.pages.tailMap(kept).clear();
    byte[] last = node.pages.get(size / PAGE);
    if (last != null) {
      Arrays.fill(last, (int) (size % PAGE), PAGE, (byte) 0);
    }
  }

  /// MKNOD, MKDIR and CREATE.
  private ByteBuffer make(int operation, Node folder, ByteBuffer header, ByteBuffer body)
      throws Refusal {
    int modeAt = operation == 35 ? 4 : 0;
    int nameAt = operation == 9 ? 8 : 16;
    String name = string(body, nameAt);
    Node known = folder.children.get(name);
    if (known != null) {
      throw new Refusal(EEXIST);
    }
    int kind = operation == 9 ? FOLDER : REGULAR;
    int mode = kind | (body.getInt(modeAt) & 07777);
    Node made = new Node(++numbered, mode, header.getInt(24), header.getInt(28));
    nodes.put(made.number, made);
    folder.children.put(name, made);
    if (operation != 35) {
      return entry(made);
    }
    return buffer(144).put(entry(made)).put(opened()).flip();
  }

  private ByteBuffer makeLink(Node folder, ByteBuffer header, ByteBuffer body) throws Refusal {
    String name = string(body, 0);
    if (folder.children.containsKey(name)) {
      throw new Refusal(EEXIST);
    }
    Node made = new Node(++numbered, LINK | 0777, header.getInt(24), header.getInt(28));
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    made.link = string(body, length + 1).getBytes(StandardCharsets.UTF_8);
    made.size = made.link.length;
    nodes.put(made.number, made);
    folder.children.put(name, made);
    return entry(made);
  }

  private ByteBuffer addName(@Nullable Node old, Node folder, String name) throws Refusal {
    if (old == null) {
      throw new Refusal(ENOENT);
    }
    if (folder.children.putIfAbsent(name, old) != null) {
      throw new Refusal(EEXIST);
    }
    old.names++;
    return entry(old);
  }

  private @Nullable ByteBuffer remove(Node folder, String name) throws Refusal {
    Node gone = child(folder, name);
    if (!gone.children.isEmpty()) {
      throw new Refusal(ENOTEMPTY);
    }
    folder.children.remove(name);
    drop(gone);
    return null;
  }

  private void drop(Node gone) {
    if (--gone.names == 0) {
      pages -= gone.pages.size(); // its bytes stay for those that have it open
    }
  }

  private @Nullable ByteBuffer rename(Node from, ByteBuffer body, int namesAt, int flags)
      throws Refusal {
    Node to = nodes.get(body.getLong(0));
    String name = string(body, namesAt);
    String fresh = string(body, namesAt + name.getBytes(StandardCharsets.UTF_8).length + 1);
    Node moved = child(from, name);
    if (to == null) {
      throw new Refusal(ENOENT);
    }
    Node replaced = to.children.get(fresh);
    if (replaced != null && (flags & 1) != 0) {
      throw new Refusal(EEXIST);
    }
    if (replaced != null) {
      boolean isFolder = (moved.mode & FOLDER) != 0;
      boolean wasFolder = (replaced.mode & FOLDER) != 0;
      if (isFolder != wasFolder) {
        throw new Refusal(isFolder ? 20 : 21);
      }
      drop(replaced);
    }
    from.children.remove(name);
    to.children.put(fresh, moved);
    return null;
  }

  private ByteBuffer opened() {
    ByteBuffer result = buffer(16);
    result.putInt(8, faults.getOrDefault("direct", 0));
    return result;
  }

  private ByteBuffer read(Node node, ByteBuffer body) throws Refusal {
    ByteBuffer _ = failing("read");
    long from = body.getLong(8);
    if (from + body.getInt(16) > faults.getOrDefault("readfrom", Integer.MAX_VALUE)) {
      throw new Refusal(EIO);
    }
    int count = Math.clamp(node.size - from, 0, body.getInt(16));
    byte[] bytes = new byte[count];
    for (int done = 0; done < count; ) {
      long at = from + done;
      int within = (int) (at % PAGE);
      int part = Math.min(PAGE - within, count - done);
      byte[] page = node.pages.get(at / PAGE);
      if (page != null) {
        System.arraycopy(page, within, bytes, done, part);
      }
      done += part;
    }
    return ByteBuffer.wrap(bytes);
  }

  private ByteBuffer write(Node node, ByteBuffer body) throws Refusal {
    long to = body.getLong(8);
    int count = body.getInt(16);
    byte[] bytes = new byte[count];
    body.get(HEADER, bytes);
    if (root.children.get(CONTROL) == node) {
      setFaults(new String(bytes, StandardCharsets.UTF_8));
    } else {
      ByteBuffer _ = failing("write");
      LockSupport.parkNanos(faults.getOrDefault("slow", 0) * MILLI_NANOS);
      store(node, to, bytes);
    }
    node.touch();
    return buffer(8).putInt(count).putInt(0).rewind();
  }

  private void setFaults(String text) {
    faults.clear();
    for (String word : text.split(" ", -1)) {
      int equals = word.indexOf('=');
      if (equals > 0) {
        faults.put(word.substring(0, equals), Integer.valueOf(word.substring(equals + 1)));
      }
    }
    held.forEach(this::send);
    held.clear();
  }

  private void store(Node node, long to, byte[] bytes) throws Refusal {
    for (int done = 0; done < bytes.length; ) {
      long at = to + done;
      int within = (int) (at % PAGE);
      int part = Math.min(PAGE - within, bytes.length - done);
      System.arraycopy(bytes, done, page(node, at / PAGE), within, part);
      done += part;
    }
    node.size = Math.max(node.size, to + bytes.length);
  }

  private byte[] page(Node node, long number) throws Refusal {
    byte[] page = node.pages.get(number);
    if (page == null) {
      if (pages >= room()) {
        throw new Refusal(ENOSPC);
      }
      page = new byte[PAGE];
      node.pages.put(number, page);
      pages++;
    }
    return page;
  }

  private long room() {
    return faults.getOrDefault("room", 128 << 20) / PAGE;
  }

  private @Nullable ByteBuffer fallocate(Node node, ByteBuffer body) throws Refusal {
    int error = faults.getOrDefault("fallocate", EOPNOTSUPP);
    if (error != 0) {
      throw new Refusal(error);
    }
    long from = body.getLong(8);
    long end = from + body.getLong(16);
    for (long at = from / PAGE; at * PAGE < end; at++) {
      byte[] _ = page(node, at);
    }
    node.size = Math.max(node.size, end);
    return null;
  }

  private ByteBuffer statistics() {
    long free = Math.max(0, room() - pages);
    ByteBuffer result = buffer(80);
    result.putLong(room()).putLong(free).putLong(free).putLong(1 << 20).putLong(1 << 20);
    result.putInt(PAGE).putInt(255).putInt(PAGE);
    return result.rewind();
  }

  private ByteBuffer list(Node folder, ByteBuffer body) {
    long from = body.getLong(8);
    ByteBuffer result = buffer(body.getInt(16));
    long index = 0;
    for (Map.Entry<String, Node> each : folder.children.entrySet()) {
      index++;
      byte[] name = each.getKey().getBytes(StandardCharsets.UTF_8);
      int length = (24 + name.length + 7) & -8;
      if (index <= from) {
        continue;
      }
      if (length > result.remaining()) {
        break;
      }
      int start = result.position();
      result.putLong(each.getValue().number).putLong(index).putInt(name.length);
      result.putInt(each.getValue().mode >> 12).put(name).position(start + length);
    }
    return result.flip();
  }
}
