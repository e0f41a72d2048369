package dev.tigris.verify.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Holds the modules to the house rules. bench comes last in the build, and has a test of its own.
class TidyTest {
  private final Checkout checkout = Checkout.ofCurrentFolder();

  @Test
  void everyModuleKeepsTheRules() throws Exception {
    var compiled = new ArrayList<String>();
    for (String module : checkout.modules()) {
      if (checkout.isCompiled(module)) {
        compiled.add(module);
      }
    }
    assertNothing(Tidy.breaches(checkout, compiled));
  }

  @Test
  void everyModuleKeepsTheRuleOfEnglish() throws Exception {
    var breaches = new ArrayList<String>();
    for (String module : English.modules(checkout)) {
      breaches.addAll(English.breaches(checkout, module));
    }
    assertNothing(breaches);
  }

  @Test
  void noBuildFileOpensTheJdk() throws Exception {
    assertNothing(SourceRules.openingBuildFiles(checkout));
  }

  @Test
  void everyRestrictedPackageExists() throws Exception {
    for (String name : ClassRules.RESTRICTED_PACKAGES) {
      String folder = "java/" + name.replace('.', '/');
      assertTrue(
          checkout.modules().stream()
              .map(module -> checkout.root().resolve(module).resolve("src"))
              .flatMap(src -> Stream.of(src.resolve("main"), src.resolve("test")))
              .anyMatch(sources -> Files.isDirectory(sources.resolve(folder))),
          name + " may make restricted calls but does not exist: remove it from ClassRules");
    }
  }

  private static void assertNothing(List<String> breaches) {
    assertEquals(0, breaches.size(), () -> "\n" + String.join("\n", breaches) + "\n");
  }
}
