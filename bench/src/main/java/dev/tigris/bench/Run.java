package dev.tigris.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/// What a group needs to know of the run it is part of.
///
/// @param scale how thorough to be
/// @param prefix only figures whose names start with it are wanted
/// @param workFolder for all files but results; it is deleted when the run ends, and what is big in
///   it by whoever wrote that
/// @param sink where figures go
/// @param progress where a line on what is going on goes
public record Run(
    Scale scale, String prefix, Path workFolder, Consumer<Figure> sink, Consumer<String> progress) {

  /// Whether this figure was asked for.
  public boolean wants(String figure) {
    return figure.startsWith(prefix);
  }

  /// Those of `figures` that were asked for.
  public List<String> wanted(List<String> figures) {
    return figures.stream().filter(this::wants).toList();
  }

  /// Reports a figure, unless it was not asked for.
  public void emit(Figure figure) {
    if (wants(figure.figure())) {
      sink.accept(figure);
    }
  }

  /// Says what is going on.
  public void say(String line) {
    progress.accept(line);
  }
}
