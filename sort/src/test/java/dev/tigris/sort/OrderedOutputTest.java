package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 10, unit = TimeUnit.SECONDS)
class OrderedOutputTest {
  private final ByteArrayOutputStream stream = new ByteArrayOutputStream();
  private final OrderedOutput output =
      new OrderedOutput(stream, Path.of("out"), Compression.NONE, 0);

  @Test
  void aBucketWaitsForThoseBeforeIt() throws Exception {
    Thread second =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    output.await(1);
                    output.write(new byte[] {2}, 0, 1);
                    output.done(1);
                  } catch (InterruptedException | SortException e) {
                    throw new AssertionError(e);
                  }
                });
    output.await(0);
    output.write(new byte[] {1}, 0, 1);
    output.done(0);
    second.join();
    assertArrayEquals(new byte[] {1, 2}, stream.toByteArray());
  }

  @Test
  void oneThatFailsBeforeItsTurnHoldsNoneUp() throws Exception {
    output.done(1);
    output.done(2);
    output.done(0);
    output.await(3);
  }
}
