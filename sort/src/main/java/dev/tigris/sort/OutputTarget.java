package dev.tigris.sort;

import dev.tigris.memory.MemoryBudgetException;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Where a job writes that writes its output from the beginning to the end: a stream, a pipe or a
/// device, or a file that appears under its name when it is complete.
///
/// @param temporary the folder for temporary files where the output is no file
/// @param forced whether a file is forced to the disk before it appears
record OutputTarget(Path temporary, boolean forced, Progress progress) {
  /// The folder for temporary files where no other is given.
  static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir", "/tmp"));

  /// The work of a job. If it fails, no file appears.
  interface Work<R> {
    R write(WorkFolder folder, OrderedOutput output) throws SortException, InterruptedException;
  }

  /// The work of a job that makes the file by itself. If it fails, no file appears.
  interface FileWork<R> {
    R write(WorkFolder folder) throws SortException, InterruptedException;
  }

  /// The folder for the temporary files of a job, made when it is first asked for: a merge needs
  /// none.
  static final class WorkFolder implements Closeable {
    private final Path output;
    private @Nullable TemporaryFolder made;

    WorkFolder(Path output) {
      this.output = output;
    }

    TemporaryFolder get() throws SortException {
      TemporaryFolder known = made;
      if (known == null) {
        known = new TemporaryFolder(output);
        made = known;
      }
      return known;
    }

    @Override
    public void close() throws SortException {
      TemporaryFolder known = made;
      if (known != null) {
        known.close();
      }
    }
  }

  /// Returns whether an output can be written from the beginning to the end only.
  static boolean isOrdered(Path output) throws SortException {
    return OutputPaths.isSpecial(output) || Compression.of(output.toString()) != Compression.NONE;
  }

  /// Writes to a stream, which is flushed and not closed.
  <R> R toStream(OutputStream stream, String name, Work<R> work)
      throws SortException, InterruptedException {
    return write(new OrderedOutput(stream, Path.of(name), Compression.NONE), work);
  }

  /// Writes to a file; to one whose name ends with `.gz` or `.zst`, compressed. Of a symbolic link
  /// the name of the link counts. A pipe or a device is there already and gets no other file for a
  /// name.
  <R> R toPath(Path output, List<SortInput> inputs, Work<R> work)
      throws SortException, InterruptedException {
    Compression compression = Compression.of(output.toString());
    if (OutputPaths.isSpecial(output)) {
      try (OutputStream stream = new LateFile(output)) {
        return write(new OrderedOutput(stream, output, compression), work);
      } catch (IOException e) {
        throw SortException.writing(output, e);
      }
    }
    return replacing(output, inputs, folder -> toFile(folder, compression, work));
  }

  /// Lets the work make the file [TemporaryFolder#OUTPUT] itself, which then gets the output's
  /// name.
  <R> R replacing(Path output, List<SortInput> inputs, FileWork<R> work)
      throws SortException, InterruptedException {
    Path target = OutputPaths.target(output);
    OutputPaths.refuseInput(target, SortInput.paths(inputs));
    OutputPaths.refuseUnusable(target);
    try (var folder = new WorkFolder(target)) {
      OutputPaths.refuseIrreplaceable(target, folder.get().resolve("probe"));
      R result = work.write(folder);
      folder.get().publish(TemporaryFolder.OUTPUT, target, forced);
      return result;
    } catch (SortException | MemoryBudgetException e) {
      throw failure(e);
    }
  }

  private <R> R toFile(WorkFolder folder, Compression compression, Work<R> work)
      throws SortException, InterruptedException {
    Path path = folder.get().resolve(TemporaryFolder.OUTPUT);
    try (FileChannel channel =
            FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        ChannelStream stream = new ChannelStream(channel)) {
      OrderedOutput output = new OrderedOutput(stream, path, compression);
      R result = work.write(folder, output);
      if (forced) {
        progress.report(Progress.Phase.SYNC, 0, output.bytes());
        channel.force(true);
        progress.report(Progress.Phase.SYNC, output.bytes(), output.bytes());
      }
      return result;
    } catch (IOException e) {
      throw SortException.writing(path, e);
    }
  }

  private <R> R write(OrderedOutput output, Work<R> work)
      throws SortException, InterruptedException {
    try (var folder = new WorkFolder(temporary.resolve("sort"))) {
      return work.write(folder, output);
    } catch (SortException | MemoryBudgetException e) {
      throw failure(e);
    }
  }

  /// Returns what is to be thrown in place of a failure.
  private static SortException failure(Exception failed) throws InterruptedException {
    return switch (failed) {
      case SortException e -> e.unlessInterrupted();
      case MemoryBudgetException e -> SortException.noMemory(e);
      default -> throw new IllegalStateException(failed);
    };
  }
}
