package dev.tigris.cluster.run;

import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A program whose sources count, and whose adders add up: `count [fault [argument]]`.
///
/// | fault | it |
/// |---|---|
/// | `throws` | throws in the adder that gets this number |
/// | `hangs` | makes this file after a thousand waters, and puts no more if it was not there |
/// | `differs` | describes a number of adders that follows from the number of the process |
/// | `fails` | cannot be described |
public final class Sums implements FlowProgram {
  static final int SOURCES = 2;
  static final int WATER_BYTES = 1024;
  private static final long HANGS_AT = 1000;

  /// Makes the program.
  public Sums() {}

  @Override
  public Flow describe(Arguments arguments) {
    long count = Long.parseLong(arguments.word(0));
    String fault = arguments.word(1, "");
    long bad = fault.equals("throws") ? Long.parseLong(arguments.word(2)) : -1;
    Path hangs = fault.equals("hangs") ? Path.of(arguments.word(2)) : null;
    if (fault.equals("fails")) {
      throw new IllegalArgumentException("no such fault");
    }
    int adders =
        fault.equals("differs")
            ? 1 + (int) (ProcessHandle.current().pid() % 1000)
            : Math.max(4, arguments.processes());
    return Flow.named("sums")
        .source("count", () -> new Numbers(count, hangs), SOURCES)
        .reservoir(Reservoir.lottery().withWindow(16))
        .stage("add", () -> new Adder(bad), adders)
        .build();
  }

  /// Returns the sum of a run.
  static long expected(long count) {
    return SOURCES * (count * (count - 1) / 2);
  }

  private static final class Numbers implements Source {
    private final long count;
    private final @Nullable Path hangs;
    private long next;
    private @Nullable ModuleContext context;

    Numbers(long count, @Nullable Path hangs) {
      this.count = count;
      this.hangs = hangs;
    }

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    private ModuleContext context() {
      return Objects.requireNonNull(context);
    }

    @Override
    public boolean produce(Stream out) throws IOException {
      if (next == count) {
        return false;
      }
      Water water = out.spring().createWater(WATER_BYTES);
      water.bytes().setLong(0, next);
      out.put(water);
      next++;
      if (hangs != null && next == HANGS_AT && context().replica() == 0) {
        hang(hangs);
      }
      return true;
    }

    private void hang(Path once) throws IOException {
      try {
        Files.createFile(once);
      } catch (FileAlreadyExistsException e) {
        return; // so it did in an earlier attempt
      }
      while (!context().isStopping()) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  private static final class Adder implements Module {
    private final long bad;
    private long sum;
    private @Nullable ModuleContext context;

    Adder(long bad) {
      this.bad = bad;
    }

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    private ModuleContext context() {
      return Objects.requireNonNull(context);
    }

    @Override
    public void process(Water in, Stream out) {
      long number = in.bytes().getLong(0);
      if (number == bad) {
        throw new IllegalArgumentException("the number " + number + " is bad");
      }
      sum += number;
    }

    @Override
    public void finish(Stream out) {
      context().results().add("sum", sum);
      context().results().add("adders", 1);
    }
  }
}
