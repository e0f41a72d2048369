package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Attempts on the module from outside.
class PsoIsolationTest {
  @TempDir private Path temporary;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void holdsAgainstAttemptsFromOutsideWithALowScratchAreaAndWithout(boolean low) throws Exception {
    Path unspecialized = temporary.resolve("unspecialized");
    Path attempts = temporary.resolve("attempts");
    Outside.compileResource(unspecialized, "Unspecialized");
    Outside.compileResource(attempts, "Attempts", unspecialized);
    Outside.specialize(attempts, unspecialized);
    Outside.Outcome outcome =
        Outside.run(
            List.of("-Dtigris.memory.low=" + low), List.of("Attempts"), attempts, unspecialized);
    assertEquals(0, outcome.exitCode(), outcome.output());
    assertEquals(
        """
        object without constructor: harmless
        reference from an object without constructor: IllegalStateException
        the schema of a container without constructor: IllegalStateException
        the root of one: IllegalStateException
        a root for one: IllegalStateException
        an object in one: IllegalStateException
        reflection on the address: InaccessibleObjectException
        private lookup in Pso: IllegalAccessException
        the segment over all memory: IllegalAccessException
        what only the package of schemas may do: IllegalAccessException
        a binding of one's own: IllegalAccessException
        null for a binding: NullPointerException
        a stolen binding for a larger class: IllegalArgumentException
        a class that was not specialized: UnspecializedClassException
        a subclass of one: UnspecializedClassException
        an object whose constructor failed: IllegalStateException
        an array of that object: IllegalStateException
        a text of that object: got scratch
        a cursor over objects that are bound elsewhere: IllegalStateException
        the object of a cursor that has no element: got 0
        a forged call site that is entitled: got 8
        one of another type: NoSuchFieldError
        one of another name: IllegalAccessError
        one for a private field: IllegalAccessError
        one for another class's objects: IncompatibleClassChangeError
        the bootstrap, called directly: IllegalAccessError
        the bootstrap, called by reflection: IllegalAccessError
        the bootstrap, called by another: IllegalAccessError
        a class declared by another: IllegalArgumentException
        an accessor for any Pso: ClassCastException
        an accessor for any Object: ClassCastException
        an accessor without a cast: ClassCastException
        what an accessor is made of: IllegalArgumentException
        a shadowing field: harmless
        its size on the superclass: NoSuchFieldError
        its size on another object: ClassCastException
        its name on its own class: got -1
        a recipe over another class's objects: IllegalAccessError
        a recipe over any object: IllegalAccessError
        a recipe, linked directly for another class: IllegalAccessError
        a recipe over one's own object: got 8
        one that reaches out of it: IncompatibleClassChangeError
        one that reaches out of it in front: IncompatibleClassChangeError
        one whose address is computed: IncompatibleClassChangeError
        one that makes a reference of a number: IncompatibleClassChangeError
        one that is run on another class's object: ClassCastException
        a class in the module's package, of another loader: IllegalAccessError
        a class in the module's package, of this loader: IllegalArgumentException
        a subclass, of another loader: IllegalAccessError
        a layout of one's own: UnsupportedOperationException
        a text of one's own: IllegalAccessException
        an object that was serialized: InvalidClassException
        an object that was cloned: got 5
        """,
        outcome.output());
  }
}
