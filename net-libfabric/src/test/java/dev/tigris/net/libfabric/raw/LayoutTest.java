package dev.tigris.net.libfabric.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@EnabledIf(
    value = "canCompile",
    disabledReason =
        "a C compiler and libfabric's headers are missing: apt install gcc libfabric-dev")
class LayoutTest {
  private static final Path HEADERS = Path.of("/usr/include/rdma/fabric.h");

  static boolean canCompile() {
    return Files.isReadable(HEADERS) && Needs.isThere("gcc");
  }

  /// Has a C program print what the headers say, line by line, and compares that with ours.
  @Test
  void agreesWithTheHeadersThatAreInstalled(@TempDir Path directory) throws Exception {
    List<String> ours = new ArrayList<>();
    StringBuilder program = new StringBuilder();
    for (String header :
        List.of("fabric", "fi_domain", "fi_endpoint", "fi_eq", "fi_cm", "fi_rma")) {
      program.append("#include <rdma/%s.h>\n".formatted(header));
    }
    program.append("#include <stdio.h>\n#include <sys/uio.h>\nint main(void) {\n");
    List<Layout.Member> members = new ArrayList<>(List.of(Layout.Slot.values()));
    members.addAll(List.of(Layout.Field.values()));
    for (Layout.Member each : members) {
      ours.add("%s %d".formatted(each, each.offset()));
      program.append(
          line(each.name(), "offsetof(struct %s, %s)".formatted(each.structure(), each.member())));
    }
    for (Layout.Size size : Layout.Size.values()) {
      ours.add("%s %d".formatted(size, size.bytes));
      program.append(line(size.name(), "sizeof(struct %s)".formatted(size.structure())));
    }
    for (Layout.Constant constant : Layout.Constant.values()) {
      ours.add("%s %d".formatted(constant, constant.value));
      program.append(line(constant.name(), constant.name()));
    }
    program.append("  return 0;\n}\n");
    Path source = Files.writeString(directory.resolve("layout.c"), program);
    String binary = directory.resolve("layout").toString();
    String _ = Command.of("gcc", "-o", binary, source.toString()).output();
    List<String> theirs = Command.of(binary).run().expect(0).lines();
    assertTrue(ours.size() > 100);
    assertEquals(String.join("\n", theirs), String.join("\n", ours));
  }

  private static String line(String name, String value) {
    return "  printf(\"%s %%lld\\n\", (long long) (%s));\n".formatted(name, value);
  }
}
