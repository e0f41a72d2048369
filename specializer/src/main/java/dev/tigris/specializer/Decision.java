package dev.tigris.specializer;

import java.lang.constant.DynamicCallSiteDesc;

/// What a [Rule] wants done with an instruction.
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

  /// The instruction must not be there: the build fails.
  ///
  /// @param problem what is wrong and what to do about it
  record Refuse(String problem) implements Decision {}

  /// The only [Pass].
  Decision PASS = new Pass();
}
