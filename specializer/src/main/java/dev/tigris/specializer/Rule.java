package dev.tigris.specializer;

import java.lang.constant.ClassDesc;
import java.util.List;

/// A translation rule (papers: 000 section 3.1): sees one instruction in context and leaves it, or
/// replaces it by a call site.
///
/// A rule decides from the [Site] alone, so that the same class always gives the same bytes. Rules
/// are asked in order; the first that doesn't [pass][Decision.Pass] decides. They are shown every
/// field access and every method call.
public interface Rule {
  /// The name that the report gives.
  String name();

  /// Whether the rule could have something to say about the fields or methods of a class. A class
  /// file that mentions none of the kind is passed over as a whole, which is nearly all of them.
  boolean concerns(ClassDesc owner, ClassHierarchy hierarchy);

  /// Decides on one instruction.
  Decision decide(Site site);

  /// The rules that every class is specialized with.
  static List<Rule> standard() {
    return List.of(new PsoFieldRule());
  }
}
