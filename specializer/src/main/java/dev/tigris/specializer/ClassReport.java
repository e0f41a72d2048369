package dev.tigris.specializer;

import java.util.List;

/// What was done to one class.
///
/// @param declared whether the class was made to declare itself to `memory` in this run
/// @param methods the methods that a rule had something to say about
public record ClassReport(String name, boolean declared, List<MethodReport> methods) {
  void print(StringBuilder out) {
    out.append(name).append(declared ? "  declared\n" : "\n");
    methods.forEach(method -> method.print(out));
  }
}
