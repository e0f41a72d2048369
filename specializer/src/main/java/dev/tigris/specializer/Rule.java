package dev.tigris.specializer;

import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.constant.ClassDesc;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/// A translation rule (Welsh, *Safe and Efficient Hardware Specialization of Java Applications*,
/// 2000, section 3.1): it sees one instruction in context, and leaves it or replaces it and perhaps
/// those that follow.
///
/// A rule decides from the [Site] alone, so that the same class always gives the same bytes. Rules
/// are asked in order; the first that doesn't [pass][Decision.Pass] decides. They are shown every
/// instruction that no earlier decision has replaced. A rule may be asked by several threads.
///
/// A class that was changed is marked with the rules of modules that were there, and they are not
/// asked about it again, by the next build or the agent, unless they are [#isIdempotent]. So a rule
/// may keep the instruction that it looks for.
///
/// A module offers rules by `provides dev.tigris.specializer.Rule with ...`; see [RuleList].
public interface Rule {
  /// The name of the rule in reports and in lists of rules, of one line.
  String name();

  /// Whether the rule may apply to a class file. Most class files are skipped as a whole in this
  /// way.
  boolean concerns(ClassModel type, ClassHierarchy hierarchy);

  /// Decides on one instruction.
  Decision decide(Site site);

  /// Whether code without the rule would be wrong, not just slower. A build fails on such code.
  default boolean isRequired() {
    return false;
  }

  /// Whether the rule can be applied to a class again. Such a rule leaves its own code and that of
  /// other rules alone. It may find more to do when another class has changed meanwhile.
  default boolean isIdempotent() {
    return false;
  }

  /// Whether the code of a class file mentions a field or method of an owner of some kind. What
  /// annotations, signatures and class literals name does not count.
  static boolean mentions(ClassModel type, Predicate<ClassDesc> kind) {
    Set<ClassDesc> asked = new HashSet<>();
    for (PoolEntry entry : type.constantPool()) {
      if (entry instanceof MemberRefEntry member) {
        ClassDesc owner = member.owner().asSymbol();
        if (asked.add(owner) && kind.test(owner)) {
          return true;
        }
      }
    }
    return false;
  }

  /// The rules that every class is specialized with.
  static List<Rule> standard() {
    return List.of(new PsoFieldRule(), new PsoCursorRule(), new PsoTextRule());
  }
}
