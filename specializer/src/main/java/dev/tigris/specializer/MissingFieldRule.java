package dev.tigris.specializer;

import java.lang.classfile.ClassModel;

/// Stands behind the rules of a list without [PsoFieldRule]: what that would replace, and no other
/// rule has, would find no field as it runs.
final class MissingFieldRule implements OwnRule {
  private final PsoFieldRule missing = new PsoFieldRule();

  @Override
  public String name() {
    return "no " + missing.name();
  }

  @Override
  public boolean concerns(ClassModel type, ClassHierarchy hierarchy) {
    return missing.concerns(type, hierarchy);
  }

  @Override
  public boolean isRequired() {
    return true;
  }

  @Override
  public Decision decide(Site site) {
    return missing.decide(site) instanceof Decision.Replace
        ? new Decision.Refuse(
            "accesses a field of objects, but the list of rules lacks pso-field: add it")
        : Decision.PASS;
  }
}
