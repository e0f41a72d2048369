package dev.tigris.specializer;

import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The report on one class.
///
/// @param declared whether the class was made to declare itself to `memory` in this run
/// @param methods the methods that a rule had something to say about
public record ClassReport(String name, boolean declared, List<MethodReport> methods) {
  /// What was done to a class by plans for its methods.
  static ClassReport of(
      ClassModel before, ClassModel after, Map<String, MethodPlan> plans, boolean declared) {
    Map<String, Integer> sizes = new HashMap<>();
    for (MethodModel method : after.methods()) {
      sizes.put(MethodPlan.key(method), MethodPlan.codeBytes(method));
    }
    List<MethodReport> methods = new ArrayList<>();
    for (MethodModel method : before.methods()) {
      String key = MethodPlan.key(method);
      MethodPlan plan = plans.get(key);
      if (plan != null && !(plan.choices().isEmpty() && plan.rewrittenEarlier() == 0)) {
        methods.add(
            new MethodReport(
                method.methodName().stringValue() + method.methodTypeSymbol().displayDescriptor(),
                MethodPlan.codeBytes(method),
                sizes.getOrDefault(key, 0),
                plan.rewrittenEarlier(),
                plan.parts(),
                plan.sites(),
                plan.choices().stream().map(MethodReport.Line::of).toList()));
      }
    }
    return new ClassReport(Location.nameOf(before.thisClass().asSymbol()), declared, methods);
  }

  void print(StringBuilder out) {
    out.append(name).append(declared ? "  declared\n" : "\n");
    methods.forEach(method -> method.print(out));
  }
}
