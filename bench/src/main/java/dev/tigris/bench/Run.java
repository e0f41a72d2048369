package dev.tigris.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/// The run that a group is part of.
///
/// @param scale how thorough to be
/// @param prefix only figures whose names start with it are wanted
/// @param workFolder for all files but results. The run deletes it at its end; the author of a big
///     file deletes that earlier
/// @param sink receives the figures
/// @param progress receives lines about the progress
public record Run(
    Scale scale, String prefix, Path workFolder, Consumer<Figure> sink, Consumer<String> progress) {

  /// Whether this figure was asked for.
  public boolean wants(String figure) {
    return figure.startsWith(prefix);
  }

  /// Selects those of `figures` that were asked for.
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
