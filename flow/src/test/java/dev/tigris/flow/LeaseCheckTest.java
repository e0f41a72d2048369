package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.process.Jvm;
import org.junit.jupiter.api.Test;

/// `-Dtigris.check=leases` in a flow, as a process of its own.
class LeaseCheckTest {
  static String run(Class<?> program, String... options) {
    return Jvm.of(program).options(options).command().output();
  }

  @Test
  void aModuleThatLooksAtAWaterTooLateFailsTheFlow() throws Exception {
    String printed = run(KeepsTooLong.class, "-Dtigris.check=leases");
    assertTrue(printed.startsWith("dev.tigris.memory.RecycledException: "), printed);
    assertTrue(printed.contains("handed on by "), printed);
  }

  @Test
  void withoutTheCheckItSeesTheDataOfALaterWater() throws Exception {
    assertEquals("ended well\n", run(KeepsTooLong.class));
  }
}
