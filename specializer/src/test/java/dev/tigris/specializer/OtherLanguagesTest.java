package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What other compilers make of a class of objects. OtherCompilersTest of `cli` runs them.
class OtherLanguagesTest extends InWorkshop {
  private String firstProblem(String... sources) throws IOException {
    shop.javac.compile(sources);
    List<Problem> problems = shop.specializeAll().problems();
    return problems.isEmpty() ? "" : problems.getFirst().toString();
  }

  @Test
  void saysThatGroovyCannotCompileAClassOfObjects() throws IOException {
    String problem =
        firstProblem(
            "package groovy.lang; public interface GroovyObject {}",
            """
            package app;
            import dev.tigris.memory.*;
            class Order extends Pso implements groovy.lang.GroovyObject {
              private transient Object metaClass;
              int quantity;
              Order(Container container) { super(container); metaClass = this; }
            }
            """);
    assertTrue(problem.contains("app.Order.*(Order.java): Groovy keeps a metaClass"), problem);
    assertTrue(problem.contains("write this class in Java"), problem);
  }

  @Test
  void saysHowToLeaveOutTheSetterOfAFieldInPlace() throws IOException {
    String problem =
        firstProblem(
            """
            package app;
            import dev.tigris.memory.*;
            class Order extends Pso {
              @Capacity(12) private Utf8 symbol;
              Order(Container container) { super(container); }
              void setSymbol(Utf8 symbol) { this.symbol = symbol; }
            }
            """);
    assertTrue(problem.contains("app.Order.symbol lies in place"), problem);
    assertTrue(problem.contains("@Setter(AccessLevel.NONE)"), problem);
  }
}
