package dev.tigris.verify.tidy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// The modules that each module may use: the arrows of ARCHITECTURE.md.
///
/// ```text
///   specializer <- {specializer-maven-plugin, examples, cli}
///   os <- memory <- net <- flow <- cluster <- {sort, matrix, steering} <- cli  the product
///                    |               |       '---- spark
///                    |               '---- on message, too
///                    '---- {net-testing, net-libfabric, message}
///   '-------'-------'-------'-------'-------'-- {examples, verify <- bench}   the outer ring
/// ```
public final class Direction {
  private static final Map<String, Set<String>> MAY_USE =
      Map.ofEntries(
          Map.entry("test-support", Set.of()),
          Map.entry("launcher", Set.of()),
          Map.entry("specializer", Set.of()),
          Map.entry("specializer-maven-plugin", Set.of("specializer")),
          Map.entry("os", Set.of()),
          Map.entry("memory", Set.of("os")),
          Map.entry("matrix", Set.of("os", "memory", "net", "flow", "cluster")),
          Map.entry("net", Set.of("os", "memory")),
          Map.entry("net-testing", Set.of("os", "memory", "net")), // os in its tests
          Map.entry("net-libfabric", Set.of("os", "memory", "net", "net-testing")), // in its tests
          Map.entry("message", Set.of("os", "memory", "net", "net-testing")), // in its tests
          Map.entry("flow", Set.of("os", "memory", "net")),
          Map.entry(
              "cluster",
              Set.of("os", "memory", "net", "net-testing", "message", "flow")), // in its tests
          Map.entry("spark", Set.of("memory", "flow", "cluster", "sort")), // the last in its tests
          Map.entry("steering", Set.of("memory", "flow", "cluster")),
          Map.entry("sort", Set.of("os", "memory", "net", "flow", "cluster")),
          Map.entry("examples", Set.of("memory", "net", "flow", "cluster", "specializer")),
          Map.entry(
              "cli",
              Set.of(
                  "os",
                  "memory",
                  "matrix",
                  "net",
                  "message",
                  "flow",
                  "cluster",
                  "sort",
                  "steering",
                  "specializer")),
          Map.entry(
              "verify",
              Set.of(
                  "os",
                  "memory",
                  "net",
                  "net-testing", // in its tests
                  "message",
                  "flow",
                  "sort",
                  "cli",
                  "cluster",
                  "specializer")),
          Map.entry(
              "bench",
              Set.of(
                  "os",
                  "memory",
                  "matrix",
                  "net",
                  "message",
                  "flow",
                  "cluster",
                  "steering",
                  "sort",
                  "cli",
                  "specializer",
                  "verify")));

  private Direction() {}

  /// The uses against the direction, one line each.
  public static List<String> breaches(List<CompiledClass> classes) {
    var home = new HashMap<String, String>();
    var breaches = new TreeSet<String>();
    for (CompiledClass found : classes) {
      if (!found.test()) {
        String before = home.putIfAbsent(found.packageName(), found.module());
        if (before != null && !before.equals(found.module())) {
          breaches.add(
              "package %s is in %s and in %s: a package has one module"
                  .formatted(found.packageName(), before, found.module()));
        }
      }
    }
    for (CompiledClass found : classes) {
      Set<String> allowed = MAY_USE.get(found.module());
      if (allowed == null) {
        breaches.add(
            "module %s is not in Direction: say there which modules it may use"
                .formatted(found.module()));
        continue;
      }
      found
          .mentionedClasses()
          .map(name -> home.get(name.substring(0, Math.max(0, name.lastIndexOf('.')))))
          .filter(module -> module != null && !module.equals(found.module()))
          .filter(module -> !allowed.contains(module))
          // A tool of the build, which knows no module but by name: tests may try it on anything.
          .filter(module -> !(found.test() && module.equals("specializer")))
          .filter(module -> !(found.test() && module.equals("test-support")))
          .forEach(
              module ->
                  breaches.add(
                      "%s uses module %s: %s may use %s only; turn the dependency round"
                          .formatted(found.name(), module, found.module(), allowed)));
    }
    return List.copyOf(breaches);
  }
}
