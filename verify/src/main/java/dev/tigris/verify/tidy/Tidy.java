package dev.tigris.verify.tidy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The whole check of some modules of a checkout.
public final class Tidy {
  private Tidy() {}

  /// What the classes and sources of these modules do against the rules, one entry each.
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
