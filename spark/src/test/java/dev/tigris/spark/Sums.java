package dev.tigris.spark;

import dev.tigris.cluster.run.Arguments;
import dev.tigris.cluster.run.FlowProgram;
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

/// A program whose sources count, and whose adders add up: `count [bad [hangs]]`. An adder throws
/// at the number `bad`. A source makes the file `hangs` when it is half way, unless it is there,
/// and then puts no more.
public final class Sums implements FlowProgram {
  private static final int SOURCES = 2;

  /// Makes the program.
  public Sums() {}

  /// Returns the sum of a run.
  static long expected(long count) {
    return SOURCES * (count * (count - 1) / 2);
  }

  @Override
  public Flow describe(Arguments arguments) {
    long count = Long.parseLong(arguments.word(0));
    long bad = Long.parseLong(arguments.word(1, "-1"));
    String file = arguments.word(2, "");
    Path hangs = file.isEmpty() ? null : Path.of(file);
    return Flow.named("sums")
        .source("count", () -> new Numbers(count, hangs), SOURCES)
        .reservoir(Reservoir.roundRobin())
        .stage("add", () -> new Adder(bad), arguments.processes())
        .build();
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

    @Override
    public boolean produce(Stream out) throws IOException {
      if (next == count) {
        return false;
      }
      Water water = out.spring().createWater(64);
      water.bytes().setLong(0, next);
      out.put(water);
      next++;
      ModuleContext its = Objects.requireNonNull(context);
      if (hangs != null && next == count / 2 && its.replica() == 0) {
        hang(hangs, its);
      }
      return true;
    }

    private static void hang(Path once, ModuleContext context) throws IOException {
      try {
        Files.createFile(once);
      } catch (FileAlreadyExistsException e) {
        return; // so it did in an earlier attempt
      }
      while (!context.isStopping()) {
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
      ModuleContext its = Objects.requireNonNull(context);
      its.results().add("sum", sum);
      its.results().max("process", ProcessHandle.current().pid());
      its.results().min("process.least", ProcessHandle.current().pid());
    }
  }
}
