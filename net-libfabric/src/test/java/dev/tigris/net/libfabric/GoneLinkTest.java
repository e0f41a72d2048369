package dev.tigris.net.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.Attributes;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.libfabric.raw.LibfabricException;
import org.junit.jupiter.api.Test;

class GoneLinkTest {
  @Test
  void isBrokenFromTheStartAndSaysWhy() {
    GoneLink link =
        new GoneLink("10.0.0.7:7000", Attributes.DEFAULT, 100, new LibfabricException("enable"));
    assertEquals(InterfaceState.BROKEN, link.state());
    String failure = link.failure().getMessage();
    assertTrue(failure.contains("10.0.0.7:7000") && failure.contains("enable"), failure);
    link.close(false);
    assertEquals(InterfaceState.CLOSED, link.state());
  }
}
