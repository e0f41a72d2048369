package dev.tigris.os.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.os.Platform;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A process that seccomp forbids io_uring, as the usual profile of containers does.
@Timeout(60)
class ForbiddenRingsTest {
  /// Forbids io_uring_setup to itself, and becomes the program that its arguments name.
  private static final String SOURCE =
      """
      #include <errno.h>
      #include <linux/filter.h>
      #include <linux/seccomp.h>
      #include <stddef.h>
      #include <stdio.h>
      #include <sys/prctl.h>
      #include <sys/syscall.h>
      #include <unistd.h>

      int main(int count, char **words) {
        struct sock_filter rules[] = {
          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 0, 1),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
        if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
          perror("seccomp");
          return 1;
        }
        execvp(words[1], words + 1);
        perror(words[1]);
        return 1;
      }
      """;

  @TempDir Path folder;

  /// Writes and reads a file, and says how: the argument is its path.
  static final class Copier {
    public static void main(String[] arguments) throws Exception {
      try (DiskQueue queue = DiskQueue.open(4);
          DiskFile file =
              queue.open(Path.of(arguments[0]), DiskFile.Mode.MAKE, DiskFile.Caching.DIRECT);
          Arena arena = Arena.ofConfined()) {
        MemorySegment memory = arena.allocate(8192, 4096);
        memory.fill((byte) 57);
        DiskOperation operation = new DiskOperation();
        queue.run(operation.toWrite(file, 0, memory));
        queue.run(operation.toSync(file));
        memory.fill((byte) 0);
        queue.run(operation.toRead(file, 0, memory));
        System.out.println(memory.get(ValueLayout.JAVA_BYTE, 8191) + ": " + queue.obstacle());
      }
    }
  }

  @Test
  void plainCallsDoItAndTheQueueSaysWhy() throws Exception {
    assumeTrue(Platform.LINUX, "it needs Linux");
    Needs.program("gcc", "gcc libc6-dev");
    Path source = Files.writeString(folder.resolve("forbid.c"), SOURCE);
    Path forbid = folder.resolve("forbid");
    String _ =
        Command.of("gcc", "-Wall", "-Wextra", "-Werror", "-o")
            .with(forbid.toString(), source.toString())
            .output();
    Path file = folder.resolve("file");
    String said =
        Jvm.of(Copier.class)
            .quick()
            .command(file.toString())
            .behind(List.of(forbid.toString()))
            .output();
    assertTrue(said.startsWith("57: "), said);
    assertTrue(said.contains("Operation not permitted"), said);
    assertEquals(8192, Files.size(file));
  }
}
