package dev.tigris.specializer;

import java.lang.classfile.CodeBuilder;
import java.lang.constant.DynamicCallSiteDesc;
import java.util.List;
import java.util.function.Consumer;

/// The answer of a [Rule] about an instruction.
public sealed interface Decision {
  /// The rule isn't about this instruction; the next rule is asked.
  record Pass() implements Decision {}

  /// The instruction stays as it is, on purpose.
  ///
  /// @param reason for the report
  record Leave(String reason) implements Decision {}

  /// A call site takes the instruction's place. It must take and give what the instruction does.
  ///
  /// @param callSite links, at run time, to the accessor that is compiled from a recipe
  record Replace(DynamicCallSiteDesc callSite) implements Decision {}

  /// Other code takes the place of the instruction and perhaps of those after it.
  ///
  /// The code must leave the operand stack as they would. It may use constants, new local variables
  /// ([CodeBuilder#allocateLocal]), labels and exception handlers of its own, which come before
  /// those around it; it is written by the rule each time that it is asked to, and the same each
  /// time. The class-file verifier has the last word: what does not verify is a problem that fails
  /// the build.
  ///
  /// @param instructions how many are replaced, from the site's own on; not more than
  ///     [Site#sequence] has
  /// @param code writes the new ones
  /// @param members what the class needs for it; a member that several decisions name is added once
  record Rewrite(int instructions, Consumer<CodeBuilder> code, List<AddedMember> members)
      implements Decision {
    public Rewrite {
      if (instructions < 1) {
        throw new IllegalArgumentException("a rule must replace an instruction at least");
      }
      members = List.copyOf(members);
    }
  }

  /// The instruction must not be there: the build fails.
  ///
  /// @param problem what is wrong and what to do about it
  record Refuse(String problem) implements Decision {}

  /// The only [Pass].
  Decision PASS = new Pass();
}
