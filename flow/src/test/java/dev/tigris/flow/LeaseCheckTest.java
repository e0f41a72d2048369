package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// `-Dtigris.check=leases` in a flow, as a process of its own.
class LeaseCheckTest {
  static String run(Class<?> program, String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of(options));
    command.add("-cp");
    command.add(
        Stream.of("java.class.path", "jdk.module.path")
            .map(System::getProperty)
            .filter(Objects::nonNull)
            .collect(Collectors.joining(File.pathSeparator, "target/test-classes:", "")));
    command.add(program.getName());
    Path output = Files.createTempFile("flow", ".out");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      try {
        int code = process.waitFor();
        assertEquals(0, code, Files.readString(output));
      } finally {
        process.destroyForcibly(); // it does not outlive a test that was given up
      }
      return Files.readString(output);
    } finally {
      Files.delete(output);
    }
  }

  @Test
  void aModuleThatLooksAtAWaterTooLateFailsTheFlow() throws Exception {
    String printed = run(KeepsTooLong.class, "-Dtigris.check=leases");
    assertTrue(printed.startsWith("dev.tigris.memory.RecycledException: "), printed);
    assertTrue(printed.contains("handed on by "), printed);
  }

  @Test
  void withoutTheCheckItSeesTheDataOfALaterWater() throws Exception {
    assertEquals("ended well\n", run(KeepsTooLong.class));
  }
}
