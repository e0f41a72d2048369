package dev.tigris.sort;

import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Reads lines and partitions them: each goes to the water of its bucket, and a full water goes to
/// the sorter of its bucket.
///
/// ```
///   0        4       8               16
///   +--------+-------+---------------+----- ... -----+------- ... -------+
///   | bucket | marks | bytes of text |     text      | marks, 16 bytes each: chunk, byte of text
///   +--------+-------+---------------+----- ... -----+------- ... -------+
/// ```
///
/// Where sorters have places of their own in the output, each is told behind its lines how many
/// bytes of text go to the sorters before it: `bucket` is [#BEFORE] then, and there is no text.
///
/// Where equal lines must keep their order, a *mark* says from which byte of the text on the lines
/// come from which part of the input: partitioners take parts by turns, so that waters of several
/// mix.
final class LineSource implements PartSource {
  static final int HEADER_BYTES = 16;
  static final int BUCKET = 0;
  static final int MARKS = 4;
  static final int TEXT_BYTES = 8;
  static final int MARK_BYTES = 16;
  static final int BEFORE = -1;

  /// The stage of the sorters, in every flow.
  private static final String SORTERS = "sort";

  private final LineRun run;
  private final LineReader reader;
  private final boolean marked;
  private final int waterBytes;
  private final LineChecksum checksum = new LineChecksum();
  private long lines;

  // Of the part at hand: the places and buckets of its lines, and the lines grouped by bucket.
  private int count;
  private int[] starts = new int[1 << 12];
  private int[] buckets = new int[1 << 12];
  private byte[] grouped = {};
  private final int[] groupEnd;

  /// Per bucket, how many bytes of text it has got.
  private final long[] given;

  // Per bucket: the water that is being filled, its bytes, how far it is filled, and its marks.
  private final @Nullable Water[] open;
  private final @Nullable Bytes[] openBytes;
  private final int[] filled;
  private final long[][] marks;
  private final int[] markCount;

  private @Nullable ModuleContext context;

  LineSource(LineRun run) {
    this.run = run;
    LinePlan plan = run.plan();
    this.reader = new LineReader(run.order().rows(), plan.chunkBytes(), plan.lineBytes());
    this.marked = run.order().isStable();
    this.waterBytes = plan.waterBytes() - Water.HEADER_BYTES;
    int count = run.splitters().buckets();
    this.groupEnd = new int[count];
    this.given = new long[count];
    this.open = new Water[count];
    this.openBytes = new Bytes[count];
    this.filled = new int[count];
    this.marks = new long[marked ? count : 0][8];
    this.markCount = new int[count];
  }

  @Override
  public void init(ModuleContext moduleContext) {
    context = moduleContext;
  }

  @Override
  public boolean produce(Stream out) throws Exception {
    LinePart part = run.nextPart();
    if (part == null) {
      return false;
    }
    take(part);
    return true;
  }

  @Override
  public void take(long part) throws SortException {
    take(run.inputs().part(part));
  }

  private void take(LinePart part) throws SortException {
    reader.read(part);
    count = 0;
    Arrays.fill(groupEnd, 0);
    reader.forEach((block, start, end) -> find(part, block, start, end));
    group();
    int from = 0;
    for (int bucket = 0; bucket < groupEnd.length; bucket++) {
      if (groupEnd[bucket] > from) {
        given[bucket] += groupEnd[bucket] - from;
        fill(bucket, from, groupEnd[bucket], part.number());
      }
      from = groupEnd[bucket] + ShortCopy.SLACK_BYTES;
    }
    lines += count;
    run.partitioned(context(), part.to() - part.from());
  }

  /// Finds the bucket of a line, and counts the bytes that it gets.
  private void find(LinePart part, byte[] block, int start, int end) throws SortException {
    if (count + 1 >= starts.length) {
      starts = Arrays.copyOf(starts, 2 * starts.length);
      buckets = Arrays.copyOf(buckets, 2 * buckets.length);
    }
    if (end - start > run.plan().lineBytes()) {
      throw part.file().tooLong(part.from(), run.plan().lineBytes());
    }
    checksum.add(block, start, end);
    int bucket = run.splitters().bucket(block, start, end - 1);
    starts[count] = start;
    buckets[count++] = bucket;
    starts[count] = end;
    groupEnd[bucket] += end - start;
  }

  /// Copies the lines to where those of their bucket lie together.
  private void group() {
    byte[] block = reader.block();
    int sum = 0;
    for (int bucket = 0; bucket < groupEnd.length; bucket++) {
      int bytes = groupEnd[bucket];
      groupEnd[bucket] = sum; // where its next line goes, and its end at last
      sum += bytes + ShortCopy.SLACK_BYTES;
    }
    if (grouped.length < sum) {
      grouped = new byte[sum + sum / 4];
    }
    for (int i = 0; i < count; i++) {
      int length = starts[i + 1] - starts[i];
      int bucket = buckets[i];
      ShortCopy.copy(block, starts[i], grouped, groupEnd[bucket], length);
      groupEnd[bucket] += length;
    }
  }

  /// Copies the lines of a group to waters of their bucket, whole ones.
  private void fill(int bucket, int from, int to, long chunk) {
    int at = from;
    RowEnds rows = run.order().rows();
    while (at < to) {
      int room = room(bucket);
      int length = to - at;
      if (length > room) {
        length = 0;
        int next = rows.find(grouped, at, to) + 1 - at;
        while (next <= room) {
          length = next;
          next = rows.find(grouped, at + length, to) + 1 - at;
        }
      }
      if (length == 0) {
        send(bucket);
        int line = rows.find(grouped, at, to) + 1 - at;
        open(bucket, Math.max(waterBytes, HEADER_BYTES + line + 2 * MARK_BYTES));
        continue;
      }
      mark(bucket, chunk);
      Bytes bytes = openBytes[bucket];
      if (bytes == null) {
        throw new IllegalStateException("a water with room is open");
      }
      bytes.copyFrom(filled[bucket], grouped, at, length);
      filled[bucket] += length;
      at += length;
      if (filled[bucket] > waterBytes) {
        send(bucket); // made for one long line, it would lie here as large as it is
      }
    }
  }

  /// How many more bytes of text the open water of a bucket takes; none if none is open.
  private int room(int bucket) {
    Water water = open[bucket];
    if (water == null) {
      return 0;
    }
    return water.capacity() - filled[bucket] - MARK_BYTES * (markCount[bucket] + 1);
  }

  private void open(int bucket, int bytes) {
    Water water = route(bucket).spring().createWater(bytes);
    open[bucket] = water;
    openBytes[bucket] = water.bytes();
    filled[bucket] = HEADER_BYTES;
    markCount[bucket] = 0;
  }

  /// Notes that what follows comes from this part.
  private void mark(int bucket, long chunk) {
    if (!marked) {
      return;
    }
    long[] own = marks[bucket];
    int count = markCount[bucket];
    if (count > 0 && own[2 * count - 2] == chunk) {
      return;
    }
    if (2 * count == own.length) {
      own = Arrays.copyOf(own, 2 * own.length);
      marks[bucket] = own;
    }
    own[2 * count] = chunk;
    own[2 * count + 1] = (long) filled[bucket] - HEADER_BYTES;
    markCount[bucket] = count + 1;
  }

  /// Sends the open water of a bucket, if there is one.
  private void send(int bucket) {
    Water water = open[bucket];
    Bytes bytes = openBytes[bucket];
    if (water == null || bytes == null) {
      return;
    }
    int end = filled[bucket];
    bytes.setInt(BUCKET, bucket);
    bytes.setInt(MARKS, markCount[bucket]);
    bytes.setLong(TEXT_BYTES, (long) end - HEADER_BYTES);
    for (int i = 0; i < 2 * markCount[bucket]; i++) {
      bytes.setLong(end, marks[bucket][i]);
      end += Long.BYTES;
    }
    water.setSize(end);
    open[bucket] = null;
    openBytes[bucket] = null;
    filled[bucket] = 0;
    route(bucket).put(water);
  }

  private Stream route(int bucket) {
    return context().route(SORTERS, run.sorterOf(bucket));
  }

  private ModuleContext context() {
    ModuleContext known = context;
    if (known == null) {
      throw new IllegalStateException("init comes first");
    }
    return known;
  }

  @Override
  public void finish(Stream out) throws SortException {
    for (int bucket = 0; bucket < open.length; bucket++) {
      send(bucket);
    }
    run.wasRead(context(), lines, checksum.sum());
    for (int sorter = 0; sorter < run.placedSorters(); sorter++) {
      tellBefore(sorter);
    }
  }

  private void tellBefore(int sorter) {
    long before = 0;
    for (int bucket = 0; bucket < given.length; bucket++) {
      before += run.sorterOf(bucket) < sorter ? given[bucket] : 0;
    }
    Stream route = context().route(SORTERS, sorter);
    Water water = route.spring().createWater(HEADER_BYTES);
    Bytes bytes = water.bytes();
    bytes.setInt(BUCKET, BEFORE);
    bytes.setInt(MARKS, 0);
    bytes.setLong(TEXT_BYTES, before);
    water.setSize(HEADER_BYTES);
    route.put(water);
  }

  @Override
  public void destroy() {
    reader.close();
  }
}
