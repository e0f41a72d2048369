package dev.tigris.flow.mirror;

import dev.tigris.flow.mirror.MirrorEngine.Client;
import dev.tigris.flow.mirror.MirrorEngine.Ticket;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A mirrored data set as one sequence of bytes, which several threads read at any position.
///
/// It keeps some blocks that were read last, and reads ahead of those that are read in order: so
/// many that all disks have something to do.
///
/// Thread rule: any thread.
public final class MirrorFile implements Closeable {
  /// The most blocks that one call asks for before it waits for the first.
  private static final int AT_ONCE = 16;

  private static final int KEPT_FOR_DISK = 4;

  private final Mirror mirror;
  private final Manifest manifest;
  private final MirrorEngine engine;
  private final Client client;
  private final int ahead;
  private final int most;

  /// Where each segment begins, and the end.
  private final long[] starts;

  // Under this object's lock.
  private final Map<Long, Entry> blocks = new LinkedHashMap<>(16, 0.75f, true);
  private long taken;
  private boolean closed;

  private static final class Entry {
    final Ticket ticket;
    int users;

    Entry(Ticket ticket) {
      this.ticket = ticket;
    }
  }

  /// A block, and where it is in the whole.
  private record Place(int segment, long block, long start, int bytes) {}

  MirrorFile(Mirror mirror) throws IOException {
    this.mirror = mirror;
    this.manifest = mirror.manifest();
    this.engine = new MirrorEngine(mirror);
    this.client = engine.addClient();
    this.ahead = 2 * manifest.disks().size();
    this.most = KEPT_FOR_DISK * manifest.disks().size() + 2 * AT_ONCE;
    this.starts = new long[manifest.segments().size() + 1];
    for (int segment = 0; segment < manifest.segments().size(); segment++) {
      starts[segment + 1] = starts[segment] + manifest.segments().get(segment).bytes();
    }
  }

  /// Returns how many bytes there are.
  public long size() {
    return mirror.bytes();
  }

  /// Reads the bytes from a position on, until the buffer is full or the data set ends; returns how
  /// many, and -1 if there are none.
  ///
  /// @throws MirrorException if no copy of a block is left
  public int read(ByteBuffer to, long position) throws IOException, InterruptedException {
    long left = Math.min(to.remaining(), size() - position);
    if (left <= 0) {
      return to.hasRemaining() ? -1 : 0;
    }
    int all = (int) left;
    for (long at = position; left > 0; ) {
      List<Place> places = new ArrayList<>();
      long end = at;
      while (places.size() < AT_ONCE && end < at + left) {
        Place place = place(end);
        places.add(place);
        end = place.start + place.bytes;
      }
      long length = Math.min(left, end - at);
      read(places, to, at, at + length);
      at += length;
      left -= length;
    }
    return all;
  }

  private void read(List<Place> places, ByteBuffer to, long from, long end)
      throws IOException, InterruptedException {
    List<Entry> entries = take(places);
    try {
      for (int i = 0; i < places.size(); i++) {
        Place place = places.get(i);
        MemorySegment bytes = engine.await(entries.get(i).ticket);
        long first = Math.max(from, place.start);
        long last = Math.min(end, place.start + place.bytes);
        to.put(bytes.asSlice(first - place.start, last - first).asByteBuffer());
      }
    } finally {
      giveBack(entries);
    }
  }

  private synchronized List<Entry> take(List<Place> places) {
    if (closed) {
      throw new IllegalStateException(mirror + " was closed");
    }
    List<Entry> entries = new ArrayList<>();
    boolean inOrder = isNear(places.getFirst().start);
    for (Place place : places) {
      Entry entry = entry(place);
      entry.users++;
      entries.add(entry);
      taken++;
    }
    Place last = places.getLast();
    long next = last.start + last.bytes;
    for (int i = 0; inOrder && i < ahead && next < size(); i++) {
      Place place = place(next);
      Entry _ = entry(place);
      next = place.start + place.bytes;
    }
    drop();
    return entries;
  }

  /// Returns whether the block before is known: so reading goes on in order.
  private boolean isNear(long start) {
    return start > 0 && blocks.containsKey(place(start - 1).start);
  }

  private Entry entry(Place place) {
    return blocks.computeIfAbsent(
        place.start,
        start -> new Entry(engine.want(client, place.segment, place.block, (double) taken)));
  }

  /// Gives back blocks that were not used for the longest time, if there are too many.
  private void drop() {
    Iterator<Entry> each = blocks.values().iterator();
    for (int over = blocks.size() - most; over > 0 && each.hasNext(); ) {
      Entry entry = each.next();
      if (entry.users == 0 && engine.isDone(entry.ticket)) {
        engine.release(entry.ticket);
        each.remove();
        over--;
      }
    }
  }

  private synchronized void giveBack(List<Entry> entries) {
    entries.forEach(entry -> entry.users--);
  }

  /// Finds the block of a position.
  private Place place(long position) {
    int blockBytes = manifest.blockBytes();
    int segments = manifest.segments().size();
    if (manifest.isStriped()) {
      long number = position / blockBytes;
      int segment = (int) (number % segments);
      long block = number / segments;
      return new Place(segment, block, number * blockBytes, manifest.bytesOf(segment, block));
    }
    int low = 0;
    int high = segments - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (starts[middle] <= position) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    long block = (position - starts[low]) / blockBytes;
    return new Place(low, block, starts[low] + block * blockBytes, manifest.bytesOf(low, block));
  }

  /// Returns an account of what was read so far.
  public Mirror.Reads reads() {
    return engine.reads();
  }

  /// Closes it. Calls that wait fail.
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    engine.close();
  }
}
