package dev.tigris.sort;

import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Keeps the lines of its buckets, spills the largest bucket whenever it holds more than its share,
/// and at the end sorts bucket after bucket and writes each when its turn comes.
///
/// A bucket that is too large to be sorted at once is divided like the whole input was, by a sample
/// of its own, through the temporary file. Each division leaves smaller buckets, or one of equal
/// lines, which needs no sorting.
final class LineModule implements Module {
  private static final int SAMPLES_PER_BUCKET = 32;
  private static final int MOST_PARTS = 64;

  /// What a large bucket is divided through.
  private static final int PIECE_BYTES = 64 << 10;

  private final LineRun run;
  private final LineOrder order;
  private final LinePlan plan;
  private LineBucket[] buckets = {};
  private int replica;
  private long bytesBefore;
  private @Nullable ModuleContext context;
  private long heldBytes;
  private @Nullable LineSpill spill;
  private @Nullable AlignedBuffer through;
  private @Nullable LineText text;

  LineModule(LineRun run) {
    this.run = run;
    this.order = run.order();
    this.plan = run.plan();
  }

  @Override
  public void init(ModuleContext moduleContext) {
    context = moduleContext;
    replica = moduleContext.replica();
    buckets = new LineBucket[run.splitters().buckets()];
    for (int bucket = 0; bucket < buckets.length; bucket++) {
      buckets[bucket] = new LineBucket();
    }
  }

  @Override
  public void process(Water in, Stream out) throws Exception {
    int number = in.bytes().getInt(LineSource.BUCKET);
    if (number == LineSource.BEFORE) {
      bytesBefore += in.bytes().getLong(LineSource.TEXT_BYTES);
      return;
    }
    in.keep();
    LineBucket bucket = buckets[number];
    long before = bucket.heldBytes();
    bucket.add(in);
    heldBytes += bucket.heldBytes() - before;
    while (heldBytes > plan.keepBytes()) {
      spillLargest();
    }
  }

  private void spillLargest() throws SortException {
    LineBucket largest = buckets[0];
    for (LineBucket bucket : buckets) {
      largest = bucket.heldBytes() > largest.heldBytes() ? bucket : largest;
    }
    heldBytes -= largest.heldBytes();
    spill().spill(largest);
  }

  @Override
  public void finish(Stream out) throws Exception {
    OrderedOutput target = run.output(context(), bytesBefore);
    for (int bucket = 0; bucket < buckets.length; bucket++) {
      if (run.sorterOf(bucket) == replica) {
        sort(bucket, target);
      }
    }
    if (spill != null) {
      run.spilled(context(), spill.end());
    }
    run.wrote(context());
  }

  private ModuleContext context() {
    return Objects.requireNonNull(context, "init comes first");
  }

  private void sort(int number, OrderedOutput target) throws Exception {
    LineBucket bucket = buckets[number];
    boolean equals = run.splitters().isOfEquals(number);
    long bytes = bucket.textBytes();
    LineText sorted = load(bucket, equals);
    int length = sorted == null ? 0 : sorted.sort();
    byte[] encoded = sorted == null ? new byte[0] : target.encode(sorted.sorted(), length);
    target.await(number);
    if (number == 0) {
      writeHeader(target);
    }
    if (sorted == null) {
      try (OutputStream lines = target.lines()) {
        write(bucket, equals, lines);
      }
    } else if (length > 0) {
      target.write(encoded, 0, target.encodedBytes(encoded, length));
      run.kept(context(), sorted.kept(), sorted.checksum());
    }
    target.done(number);
    heldBytes -= bucket.heldBytes();
    bucket.release();
    run.sorted(context(), bytes);
  }

  private void writeHeader(OrderedOutput target) throws IOException {
    byte @Nullable [] header = run.header();
    if (header != null) {
      byte[] row = Arrays.copyOf(header, header.length + 1);
      row[header.length] = order.rows().delimiter();
      byte[] encoded = target.encode(row, row.length);
      target.write(encoded, 0, target.encodedBytes(encoded, row.length));
    }
  }

  /// Copies a bucket to the heap to be sorted; null if it is too large, or needs no sorting.
  private @Nullable LineText load(LineBucket bucket, boolean equals) throws SortException {
    if (equals || bucket.textBytes() > plan.mostBytes()) {
      return null;
    }
    LineText target = text;
    if (target == null) {
      long first = Math.min(plan.mostBytes(), 2 * run.inputBytes() / plan.buckets() + 64);
      target = new LineText(order, (int) first);
      text = target;
    }
    target.clear();
    for (LineBucket.Part part : bucket.parts()) {
      Water water = part.water();
      int length = Math.toIntExact(part.bytes());
      int at = target.grow(length);
      if (water == null) {
        spill().read(part.from(), target.text(), at, length, through());
      } else {
        water.bytes().copyTo(part.from(), target.text(), at, length);
      }
    }
    return target.findLines(plan.mostLines()) ? target : null;
  }

  /// Writes a bucket that cannot be sorted at once, or need not be.
  private void write(LineBucket bucket, boolean equals, OutputStream lines) throws IOException {
    if (equals) {
      writeEquals(bucket, lines);
      return;
    }
    LineSplitters parts = divide(bucket);
    LineBucket[] smaller = scatter(bucket, parts);
    for (int i = 0; i < smaller.length; i++) {
      LineText sorted = load(smaller[i], parts.isOfEquals(i));
      if (sorted == null) {
        write(smaller[i], parts.isOfEquals(i), lines);
      } else {
        int length = sorted.sort();
        write(lines, sorted.sorted(), 0, length);
        run.kept(context(), sorted.kept(), sorted.checksum());
      }
    }
  }

  private void writeEquals(LineBucket bucket, OutputStream lines) throws IOException {
    var sum = new LineChecksum();
    long[] kept = {0};
    forEachLine(
        bucket,
        (block, start, end) -> {
          if (!order.isUnique() || kept[0] == 0) {
            sum.add(block, start, end);
            write(lines, block, start, end - start);
            kept[0]++;
          }
        });
    run.kept(context(), kept[0], sum.sum());
  }

  private static void write(OutputStream lines, byte[] text, int from, int length)
      throws SortException {
    try {
      lines.write(text, from, length);
    } catch (SortException e) {
      throw e;
    } catch (IOException e) {
      throw new SortException(SortException.Kind.IO, String.valueOf(e.getMessage()), e);
    }
  }

  private LineSplitters divide(LineBucket bucket) throws SortException {
    int wanted = Math.clamp(4 * bucket.textBytes() / plan.mostBytes(), 3, MOST_PARTS);
    var sample = new LineSample(wanted * SAMPLES_PER_BUCKET, plan.mostBytes(), replica);
    forEachLine(bucket, sample::offer);
    return LineSplitters.choose(order, sample.lines(), wanted);
  }

  private LineBucket[] scatter(LineBucket bucket, LineSplitters parts) throws SortException {
    var smaller = new LineBucket[parts.buckets()];
    var pieces = new byte[smaller.length][PIECE_BYTES];
    int[] filled = new int[smaller.length];
    long[] number = {0};
    for (int i = 0; i < smaller.length; i++) {
      smaller[i] = new LineBucket();
    }
    LineSpill file = spill();
    forEachLine(
        bucket,
        (block, start, end) -> {
          int to = parts.bucket(block, start, end - 1);
          int length = end - start;
          if (filled[to] + length > PIECE_BYTES) {
            smaller[to].add(file.append(pieces[to], 0, filled[to], number[0]++));
            filled[to] = 0;
          }
          if (length > PIECE_BYTES) {
            smaller[to].add(file.append(block, start, length, number[0]++));
          } else {
            System.arraycopy(block, start, pieces[to], filled[to], length);
            filled[to] += length;
          }
        });
    for (int i = 0; i < smaller.length; i++) {
      if (filled[i] > 0) {
        smaller[i].add(file.append(pieces[i], 0, filled[i], number[0]++));
      }
    }
    return smaller;
  }

  /// Hands out the lines of a bucket, in the order of the input as far as that counts.
  private void forEachLine(LineBucket bucket, LineTaker taker) throws SortException {
    byte[] block = new byte[LinePlan.BUFFER_BYTES];
    for (LineBucket.Part part : bucket.parts()) {
      long done = 0;
      int held = 0;
      while (done < part.bytes()) {
        if (held == block.length) {
          block = Arrays.copyOf(block, 2 * block.length);
        }
        int length = (int) Math.min(block.length - held, part.bytes() - done);
        Water water = part.water();
        if (water == null) {
          spill().read(part.from() + done, block, held, length, through());
        } else {
          water.bytes().copyTo(part.from() + done, block, held, length);
        }
        done += length;
        held = takeLines(block, held + length, taker);
      }
    }
  }

  /// Hands out the whole lines of a block, and returns how much is left, which moves to its front.
  private int takeLines(byte[] block, int end, LineTaker taker) throws SortException {
    int at = 0;
    int next = order.rows().find(block, 0, end) + 1;
    while (next <= end) {
      taker.take(block, at, next);
      at = next;
      next = order.rows().find(block, at, end) + 1;
    }
    System.arraycopy(block, at, block, 0, end - at);
    return end - at;
  }

  private LineSpill spill() throws SortException {
    LineSpill made = spill;
    if (made == null) {
      made = new LineSpill(run.place("spill-" + replica));
      spill = made;
    }
    return made;
  }

  private AlignedBuffer through() {
    AlignedBuffer made = through;
    if (made == null) {
      made = new AlignedBuffer(LinePlan.BUFFER_BYTES, "sort load");
      through = made;
    }
    return made;
  }

  @Override
  public void destroy() throws SortException {
    if (through != null) {
      through.close();
    }
    if (spill != null) {
      spill.close();
    }
    run.close(replica);
  }
}
