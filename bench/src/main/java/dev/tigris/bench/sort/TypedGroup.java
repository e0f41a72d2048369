package dev.tigris.bench.sort;

import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.RunFolder;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.sort.SortGroup.Scaled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// `tigris sort` of the same records by a typed key and by unsigned bytes, in turns.
final class TypedGroup implements Group {
  private static final String TYPED = "0:u64le";

  private final Scaled records;
  private final Scaled rounds;

  TypedGroup(Scaled records, Scaled rounds) {
    this.records = records;
    this.rounds = rounds;
  }

  @Override
  public String name() {
    return "sort.typed";
  }

  @Override
  public List<String> figures() {
    return List.of(name());
  }

  @Override
  public void measure(Run run) throws Exception {
    Path folder = Files.createTempDirectory(run.workFolder(), "typed-");
    try {
      play(run, folder);
    } finally {
      RunFolder.deleteAll(folder);
    }
  }

  private void play(Run run, Path folder) throws IOException, InterruptedException {
    Tigris tigris = Tigris.of(run.scale());
    Path input = folder.resolve("input");
    Path typed = folder.resolve("typed");
    Path bytes = folder.resolve("bytes");
    execute(tigris.command("gen", records.in(run), input), folder);
    int turns = rounds.in(run);
    double[] typedSeconds = new double[turns];
    double[] byteSeconds = new double[turns];
    for (int turn = 0; turn < turns; turn++) {
      run.say("%s: round %d of %d".formatted(name(), turn + 1, turns));
      for (int i = 0; i < 2; i++) {
        if ((turn + i) % 2 == 0) {
          typedSeconds[turn] =
              execute(tigris.command("sort", "--quiet", "--key", TYPED, input, typed), folder);
        } else {
          byteSeconds[turn] =
              execute(tigris.command("sort", "--quiet", "--key-size", 8, input, bytes), folder);
        }
      }
      Command check = tigris.command("check", "--quiet", "--key", TYPED, typed);
      if (check.run(folder).exit() != 0) {
        throw new WrongResultException("the records are not in the order of their typed key");
      }
      Files.delete(typed);
      Files.delete(bytes);
    }
    Pairs pairs = new Pairs(typedSeconds, byteSeconds);
    run.emit(
        Figure.of(name(), "s", Better.LOWER, "byte key", List.of(pairs))
            .withNote("%d records by %s".formatted(records.in(run), TYPED)));
  }

  private static double execute(Command command, Path folder)
      throws IOException, InterruptedException {
    return command.run(folder).orThrow(command).seconds();
  }
}
