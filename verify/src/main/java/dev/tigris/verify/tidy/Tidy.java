package dev.tigris.verify.tidy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Checks whole modules of a checkout against the house rules.
public final class Tidy {
  private Tidy() {}

  /// Checks the classes and sources of these modules: one entry for each breach of a rule.
  public static List<String> breaches(Checkout checkout, List<String> modules) throws IOException {
    var breaches = new ArrayList<String>();
    var classes = new ArrayList<CompiledClass>();
    for (String module : modules) {
      classes.addAll(checkout.classes(module));
      for (Path source : checkout.sources(module)) {
        breaches.addAll(SourceRules.breaches(source));
      }
    }
    List<ClassRule> rules = ClassRules.all();
    for (CompiledClass found : classes) {
      rules.stream().flatMap(rule -> rule.breaches(found)).forEach(breaches::add);
    }
    breaches.addAll(Direction.breaches(classes));
    return breaches;
  }
}
