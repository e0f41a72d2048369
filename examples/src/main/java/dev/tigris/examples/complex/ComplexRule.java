package dev.tigris.examples.complex;

import dev.tigris.specializer.ClassHierarchy;
import dev.tigris.specializer.Decision;
import dev.tigris.specializer.Rule;
import dev.tigris.specializer.Site;
import java.lang.classfile.ClassModel;
import java.lang.classfile.Instruction;
import java.lang.constant.ClassDesc;
import java.util.List;
import java.util.Optional;

/// Turns expressions over [Complex] into arithmetic on plain doubles: a translation rule that is a
/// program (Welsh, *Safe and Efficient Hardware Specialization of Java Applications*, 2000, section
/// 3.1). List it in the configuration of the specializer's Maven plugin as
/// `src/main/rules/specializer.rules` does, or give that file to `tigris specialize --rules`.
///
/// A complex number on the operand stack becomes two doubles, its real part below its imaginary
/// part, and the numbers in between are never objects:
///
/// ```text
///   z.set(z.times(z).plus(c))        aload z           aload z
///                                    aload z           aload z, its parts
///                                    aload z           aload z, its parts
///                                    invokevirtual     arithmetic
///                                    aload c           aload c, its parts
///                                    invokevirtual     arithmetic
///                                    invokevirtual     invokevirtual set(double,double)
/// ```
///
/// An expression begins with variables, fields or `new Complex(...)` and ends where its value is
/// stored by `set`, or asked for by `re`, `im` or `norm`. An expression that ends otherwise, for
/// example in a variable, makes one object for all of its operators. The results are those of the
/// methods, to the bit. A null fails where the number is read.
public final class ComplexRule implements Rule {
  static final ClassDesc COMPLEX = Complex.class.describeConstable().orElseThrow();

  /// Longer expressions are taken in parts.
  private static final int MAX_INSTRUCTIONS = 200;

  /// Makes a rule; the service loader calls this.
  public ComplexRule() {}

  @Override
  public String name() {
    return "complex";
  }

  @Override
  public boolean concerns(ClassModel type, ClassHierarchy hierarchy) {
    return Rule.mentions(type, COMPLEX::equals) && !type.thisClass().asSymbol().equals(COMPLEX);
  }

  @Override
  public Decision decide(Site site) {
    if (!Expression.canBegin(site.instruction())) {
      return Decision.PASS;
    }
    List<Instruction> sequence = site.sequence(MAX_INSTRUCTIONS);
    Optional<Expression> expression = Expression.parse(sequence, site.in().name());
    return expression
        .<Decision>map(found -> new Decision.Rewrite(found.length(), found::write, List.of()))
        .orElse(Decision.PASS);
  }
}
