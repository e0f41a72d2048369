package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.verify.tidy.Checkout;
import dev.tigris.verify.tidy.Tidy;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Holds to the house rules what is built with or after module verify, whose test does so for all
/// that is built before.
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
  void whatIsBuiltLastKeepsTheRules() throws Exception {
    List<String> modules = checkout.modules();
    List<String> last = modules.subList(modules.indexOf("verify"), modules.size());
    List<String> breaches = Tidy.breaches(checkout, last);
    assertEquals(0, breaches.size(), () -> "\n" + String.join("\n", breaches) + "\n");
  }
}
