package dev.tigris.cluster.run.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tigris.cluster.run.host.HostMessage.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HostMessageTest {
  private static final HostMessage MESSAGE =
      new HostMessage(Kind.OPEN, 7, List.of("name", "", "w\u00e4rt"));

  private static byte[] bytes(HostMessage message) throws IOException {
    var bytes = new ByteArrayOutputStream();
    message.write(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }

  private static HostMessage read(byte[] bytes) throws IOException {
    return HostMessage.read(new DataInputStream(new ByteArrayInputStream(bytes)));
  }

  @Test
  void isReadAsItWasWritten() throws Exception {
    for (Kind kind : Kind.values()) {
      HostMessage message = new HostMessage(kind, 7, MESSAGE.texts());
      assertEquals(message, read(bytes(message)));
    }
  }

  @Test
  void refusesAPartOfAMessage() throws Exception {
    byte[] whole = bytes(MESSAGE);
    for (int length = 0; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThrows(IOException.class, () -> read(part));
    }
  }

  @Test
  void refusesLengthsThatDoNotFit() throws Exception {
    byte[] whole = bytes(MESSAGE);
    int[] places = {0, 4, 9, 13}; // the length, the kind, the count, the length of a text
    for (int place : places) {
      byte[] wrong = whole.clone();
      Arrays.fill(wrong, place, place + 1, (byte) 0x7f);
      assertThrows(IOException.class, () -> read(wrong), () -> "at " + place);
    }
  }

  @Test
  void anyBytesAreAMessageOrRefused() {
    Random random = new Random(5);
    for (int i = 0; i < 10_000; i++) {
      byte[] bytes = new byte[random.nextInt(64)];
      random.nextBytes(bytes);
      if (bytes.length > 4) {
        bytes[0] = bytes[1] = bytes[2] = 0;
        bytes[4] = (byte) random.nextInt(Kind.values().length);
      }
      try {
        HostMessage _ = read(bytes);
      } catch (IOException e) {
        // refused
      }
    }
  }
}
