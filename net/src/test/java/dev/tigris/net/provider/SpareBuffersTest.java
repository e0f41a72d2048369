package dev.tigris.net.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpareBuffersTest {
  private static final int MANY = 100;

  private final SpareBuffers spare = new SpareBuffers(64, 0);

  private void use(int count) {
    List<Staging> taken = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      taken.add(spare.take());
    }
    taken.forEach(spare::giveBack);
  }

  @Test
  void takesTheOneThatWasUsedLast() {
    use(2);
    Staging last = spare.take();
    last.bytes().putInt(7);
    spare.giveBack(last);
    assertSame(last, spare.take());
    assertEquals(0, last.bytes().position(), "it is empty again");
  }

  @Test
  void letsGoOfThoseThatWereNotNeededForAPeriod() {
    use(MANY);
    spare.look(SpareBuffers.PERIOD_NANOS);
    assertEquals(MANY, spare.count(), "all of them were needed in this period");
    use(30);
    spare.look(2 * SpareBuffers.PERIOD_NANOS - 1);
    assertEquals(MANY, spare.count(), "it is not over");
    spare.look(2 * SpareBuffers.PERIOD_NANOS);
    assertEquals(30 + SpareBuffers.LEAST, spare.count());
    spare.look(3 * SpareBuffers.PERIOD_NANOS);
    spare.look(4 * SpareBuffers.PERIOD_NANOS);
    assertEquals(SpareBuffers.LEAST, spare.count());
    spare.look(5 * SpareBuffers.PERIOD_NANOS);
    assertEquals(SpareBuffers.LEAST, spare.count());
  }

  @Test
  void keepsWhatIsNeededInEachPeriod() {
    use(MANY);
    for (int period = 1; period < 10; period++) {
      spare.look(period * SpareBuffers.PERIOD_NANOS);
      use(MANY);
      assertEquals(MANY, spare.count());
    }
  }
}
