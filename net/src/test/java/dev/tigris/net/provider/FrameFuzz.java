package dev.tigris.net.provider;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// What a peer says first, and the headers of its messages.
public final class FrameFuzz {
  private static final int MAXIMUM_BYTES = 1 << 20;

  private FrameFuzz() {}

  /// One input: a greeting, and frames of which each header is the next 16 bytes.
  public static void fuzzerTestOneInput(byte[] input) {
    ByteBuffer in = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
    if (input.length < Hello.BYTES) {
      return;
    }
    Hello hello = Hello.from(in);
    boolean understood = hello != null && hello.version() == Hello.VERSION;
    if (understood && !hello.equals(Hello.from(hello.toBytes()))) {
      throw new AssertionError("what is read is what was written");
    }
    in.position(Hello.BYTES);
    Frame frame = new Frame();
    for (int sequence = 0; in.remaining() >= Frame.HEADER_BYTES; sequence++) {
      try {
        frame.take(in, MAXIMUM_BYTES, sequence);
        if (frame.length < 0 || frame.length > MAXIMUM_BYTES) {
          throw new AssertionError("a frame of " + frame.length + " bytes");
        }
      } catch (BreachException e) {
        // as it should be
      }
    }
  }
}
