package dev.tigris.launcher;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// The lock of the one process that builds, trains or tests in a checkout.
///
/// The kernel holds it (`fcntl`), and gives it to the next process when the holder ends, however it
/// ends. The file names the holder, for the message to those who wait, and the Maven that the
/// holder runs: when a signal kills the holder alone, its Maven goes on. The next holder ends it,
/// if it works in this checkout: a copy of the folder has the file as well.
/// ```text
/// HOLDER                       process ids in decimal
/// HOLDER CHILD STARTED         and the child's start in milliseconds since 1970
/// ```
/// Ends of lines fill it up to 64 bytes.
final class BuildLock implements AutoCloseable {
  private static final long PATIENCE_MILLIS = 1000;
  private static final int LONGEST = 200;

  /// Three numbers of at most 20 digits, with blanks and at least one end of line.
  private static final int LINE_BYTES = 64;

  private final Context context;
  private final FileChannel channel;

  private BuildLock(Context context, FileChannel channel) {
    this.context = context;
    this.channel = channel;
  }

  /// Takes the lock, as soon as no other process has it.
  static BuildLock take(Context context) throws InterruptedException {
    context.checkout().makeBuild();
    Path file = context.checkout().build().resolve("launcher.lock");
    try {
      FileChannel channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      var lock = new BuildLock(context, channel);
      if (channel.tryLock() == null) {
        lock.await();
      }
      lock.endOrphan();
      lock.write(String.valueOf(ProcessHandle.current().pid()));
      return lock;
    } catch (IOException e) {
      throw Refusal.cannotRun("cannot lock " + file + ", without which nothing is built: " + e);
    }
  }

  private void await() throws IOException, InterruptedException {
    var taken = new CountDownLatch(1);
    Thread teller =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    if (!taken.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                      context.say("waiting for process " + holder() + ", which builds or tests");
                    }
                  } catch (InterruptedException | IOException e) {
                    // The wait goes on without a word.
                  }
                });
    channel.lock();
    taken.countDown();
    teller.join();
  }

  private String holder() throws IOException {
    String[] words = read();
    return words[0].isEmpty() ? "that has the lock" : words[0];
  }

  /// Names the child of this process that may outlive it.
  void name(ProcessHandle child) throws IOException {
    String started =
        child
            .info()
            .startInstant()
            .map(time -> " " + child.pid() + " " + time.toEpochMilli())
            .orElse("");
    write(ProcessHandle.current().pid() + started);
  }

  private void endOrphan() throws IOException, InterruptedException {
    String[] words = read();
    if (words.length < 3) {
      return;
    }
    Optional<ProcessHandle> orphan = orphan(words[1], words[2]).filter(this::worksHere);
    if (orphan.isPresent()) {
      context.say("ending process " + words[1] + ", the Maven of a tigris that was killed");
      orphan.get().destroy();
      orphan.get().onExit().join();
    }
  }

  /// Returns whether a process works in this checkout, as far as the system tells.
  private boolean worksHere(ProcessHandle process) {
    try {
      Path folder = Path.of("/proc", String.valueOf(process.pid()), "cwd");
      return Files.notExists(folder) || Files.isSameFile(folder, context.checkout().root());
    } catch (IOException e) {
      return false; // of another user
    }
  }

  private static Optional<ProcessHandle> orphan(String id, String started) {
    try {
      long millis = Long.parseLong(started);
      return ProcessHandle.of(Long.parseLong(id))
          .filter(
              process ->
                  process
                      .info()
                      .startInstant()
                      .filter(time -> time.toEpochMilli() == millis)
                      .isPresent());
    } catch (NumberFormatException e) {
      return Optional.empty(); // the writer was killed as it wrote
    }
  }

  private String[] read() throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(LONGEST);
    int length = Math.max(0, channel.read(bytes, 0));
    return new String(bytes.array(), 0, length, StandardCharsets.US_ASCII).strip().split(" ", -1);
  }

  private void write(String words) throws IOException {
    // Always as long, so that a full disk cannot refuse what replaces the old words.
    String line = words + "\n".repeat(LINE_BYTES - words.length());
    channel.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII)), 0);
    channel.truncate(LINE_BYTES);
  }

  /// Gives the lock to the next process.
  @Override
  public void close() {
    try {
      write("");
      channel.close();
    } catch (IOException e) {
      context.say("the lock could not be cleared: " + e); // it ends with this process all the same
    }
  }
}
