package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.verify.tidy.Checkout;
import dev.tigris.verify.tidy.Tidy;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Holds every module to the house rules, in the module that is built last.
class TidyTest {
  private final Checkout checkout = Checkout.ofCurrentFolder();

  @Test
  void everyModuleIsCompiledByNow() throws Exception {
    for (String module : checkout.modules()) {
      assertTrue(
          checkout.isCompiled(module),
          module + " is built after bench: make bench depend on it, or the tidy test misses it");
    }
  }

  @Test
  void everyModuleKeepsTheRules() throws Exception {
    List<String> breaches = Tidy.breaches(checkout, checkout.modules());
    assertEquals(0, breaches.size(), () -> "\n" + String.join("\n", breaches) + "\n");
  }
}
