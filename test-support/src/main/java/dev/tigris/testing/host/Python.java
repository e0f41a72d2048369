package dev.tigris.testing.host;

import dev.tigris.testing.process.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Assumptions;

/// A Python that has the packages that a test needs. It is what `TIGRIS_TEST_PYTHON` names, the one
/// in `build/python` of the checkout, where CI installs packages, or one of the system's.
public final class Python {
  private static final Map<String, Optional<String>> FOUND = new ConcurrentHashMap<>();

  private Python() {}

  /// Returns a command that runs Python. A test is skipped where no Python has all the packages.
  ///
  /// @param packages separated by commas, as `import` takes them
  public static Command with(String packages) {
    Optional<String> found = FOUND.computeIfAbsent(packages, Python::find);
    Assumptions.assumeTrue(
        found.isPresent(),
        () ->
            "there is no Python with %s: python3 -m venv build/python && build/python/bin/pip install %s"
                .formatted(packages, packages.replace(",", "")));
    return Command.of(found.orElseThrow());
  }

  private static Optional<String> find(String packages) {
    // Finding them takes less time than importing them.
    String program =
        "import importlib.util as u; assert all(u.find_spec(p.strip()) for p in '%s'.split(','))"
            .formatted(packages);
    return candidates().stream()
        .filter(python -> Command.of(python, "-c", program).succeeds())
        .findFirst();
  }

  private static List<String> candidates() {
    List<String> candidates = new ArrayList<>();
    String named = System.getenv("TIGRIS_TEST_PYTHON");
    if (named != null) {
      candidates.add(named);
    }
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path installed = at.resolve("build/python/bin/python");
      if (Files.isExecutable(installed)) {
        candidates.add(installed.toString());
      }
    }
    for (String program : List.of("python3", "/usr/bin/python3")) {
      if (program.startsWith("/") ? Files.isExecutable(Path.of(program)) : Needs.isThere(program)) {
        candidates.add(program);
      }
    }
    return candidates;
  }
}
