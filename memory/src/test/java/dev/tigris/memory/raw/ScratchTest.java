package dev.tigris.memory.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.os.Pages;
import dev.tigris.os.Platform;
import org.junit.jupiter.api.Test;

class ScratchTest {
  @Test
  void liesBelowAllElseOnLinuxSoThatAnAccessNeedsNoMore() {
    assumeTrue(Platform.LINUX, "only Linux lets a program choose such an address");
    assertTrue(Raw.SCRATCH < Pages.LOW_END, () -> Long.toHexString(Raw.SCRATCH));
    assertEquals(Raw.SCRATCH, Raw.ORIGIN);
    assertEquals(0, Raw.MIX);
  }

  @Test
  void isWhatNoBitsStandFor() {
    assertEquals(0, Raw.bits(Raw.SCRATCH));
    assertEquals(Raw.SCRATCH, Raw.address(0));
  }

  @Test
  void bitsStandForTheAddressTheyWereMadeOf() {
    long mapped = Pages.map(Pages.UNIT_BYTES);
    assertEquals(mapped + 8, Raw.address(Raw.bits(mapped + 8)));
  }

  @Test
  void aSecondAreaIsNotMappedOverTheFirst() {
    assumeTrue(Platform.LINUX, "only Linux lets a program choose such an address");
    long second = Pages.mapLow(Raw.SCRATCH_BYTES);
    assertTrue(second >= Raw.SCRATCH + Raw.SCRATCH_BYTES, () -> Long.toHexString(second));
  }
}
