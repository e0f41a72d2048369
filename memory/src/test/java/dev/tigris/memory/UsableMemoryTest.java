package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UsableMemoryTest {
  private static final long MACHINE_BYTES = 8_000_000L * 1024;

  @TempDir Path root;

  @BeforeEach
  void makeAMachine() throws IOException {
    write("proc/meminfo", "MemTotal:        8000000 kB\nMemFree: 1 kB\n");
  }

  private void write(String file, String content) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, content);
  }

  @Test
  void isThatOfTheMachineWhereThereAreNoLimits() throws IOException {
    assertEquals(MACHINE_BYTES, UsableMemory.bytes(root));
    write("proc/self/cgroup", "0::/user.slice\n4:memory:/\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write("sys/fs/cgroup/memory.max", "max\n");
    write("sys/fs/cgroup/user.slice/memory.max", "max\n");
    assertEquals(MACHINE_BYTES, UsableMemory.bytes(root));
  }

  @Test
  void isThatOfTheContainerWhichSeesItselfAsTheRoot() throws IOException {
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/memory.max", "500000000\n");
    assertEquals(500_000_000, UsableMemory.bytes(root));
    // Of version 1, without a namespace, it has a path that it cannot see.
    write("proc/self/cgroup", "9:cpu,cpuacct:/docker/4711\n4:memory:/docker/4711\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "400000000\n");
    assertEquals(400_000_000, UsableMemory.bytes(root));
  }

  @Test
  void isTheLeastThatAnyGroupAboveTheProcessAllows() throws IOException {
    write("proc/self/cgroup", "0::/user.slice/app/worker\n");
    write("sys/fs/cgroup/user.slice/memory.max", "700000000\n");
    write("sys/fs/cgroup/user.slice/app/memory.max", "600000000\n");
    write("sys/fs/cgroup/user.slice/app/worker/memory.max", "max\n");
    write("sys/fs/cgroup/user.slice/other/memory.max", "1\n");
    assertEquals(600_000_000, UsableMemory.bytes(root));
    write("proc/self/cgroup", "4:hugetlb,memory:/batch/job\n0::/batch\n");
    write("sys/fs/cgroup/memory/batch/job/memory.limit_in_bytes", "300000000\n");
    assertEquals(300_000_000, UsableMemory.bytes(root));
  }

  @Test
  void doesNotLookOutsideOfTheGroupsThatThisProcessSees() throws IOException {
    write("proc/self/cgroup", "0::/../../other\n");
    write("sys/other/memory.max", "1\n");
    write("sys/fs/cgroup/memory.max", "500000000\n");
    assertEquals(500_000_000, UsableMemory.bytes(root));
  }

  @Test
  void isSomethingWhateverTheSystem() throws IOException {
    Files.delete(root.resolve("proc/meminfo"));
    assertEquals(Long.MAX_VALUE, UsableMemory.bytes(root));
    assertTrue(UsableMemory.bytes() > 0);
  }
}
