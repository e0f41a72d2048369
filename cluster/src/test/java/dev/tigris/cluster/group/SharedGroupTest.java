package dev.tigris.cluster.group;

import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// A group whose members share memory.
@EnabledOnOs(OS.LINUX)
class SharedGroupTest extends GroupContract {
  SharedGroupTest() {
    super("shm");
  }
}
