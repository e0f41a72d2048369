package dev.tigris.memory;

import dev.tigris.memory.Outside.Outcome;
import dev.tigris.specializer.Delivery;
import dev.tigris.specializer.patch.PatchKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The ways to deliver specialized classes, and a plain `java` that runs them with the agent as a
/// user has it.
///
/// @param temporary where the lists of rules lie
/// @param agent its jar
record Deliveries(Path temporary, Path agent) {
  static final Delivery REWRITTEN = new Delivery.Rewritten();
  static final Delivery FLAT = new Delivery.Patched(PatchKind.FLAT, Optional.empty());
  static final Delivery DIFF = new Delivery.Patched(PatchKind.DIFF, Optional.empty());

  Path list(String rules) throws IOException {
    return Files.writeString(temporary.resolve("list"), rules);
  }

  static String resource(String name) throws IOException {
    try (var in = Deliveries.class.getClassLoader().getResourceAsStream("delivery/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /// Runs a program in the first compiler's code: what is checked is the delivery, and each of many
  /// runs is short.
  Outcome run(String main, Path folder, String... options) {
    return Outside.run(Outside.quick(options), List.of(main), folder);
  }

  /// Runs it with the agent.
  ///
  /// @param options empty, or `=` and the agent's options
  Outcome runWithAgent(String main, Path folder, String options) {
    return run(main, folder, "-javaagent:" + agent + options);
  }
}
