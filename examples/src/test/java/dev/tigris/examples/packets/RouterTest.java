package dev.tigris.examples.packets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RouterTest {
  private final Bytes buffer = Jbuf.allocate(24).asBytes();
  private final Ipv4 packet = buffer.asRawContainer().at(0, Ipv4.class);

  private ByteBuffer fill(Random random) {
    byte[] bytes = new byte[24];
    random.nextBytes(bytes);
    buffer.copyFrom(0, bytes, 0, bytes.length);
    return ByteBuffer.wrap(bytes);
  }

  @Test
  void readsWhatTheStandardSays() {
    Random random = new Random(791);
    for (int round = 0; round < 1_000; round++) {
      ByteBuffer bytes = fill(random);
      assertEquals((bytes.get(0) & 0xff) >> 4, packet.version());
      assertEquals((bytes.get(0) & 0xf) * 4, packet.headerBytes());
      assertEquals(Short.toUnsignedInt(bytes.getShort(2)), packet.length());
      assertEquals((bytes.getShort(6) >> 14 & 1) == 0, packet.mayBeFragmented());
      assertEquals(bytes.get(8) & 0xff, packet.timeToLive());
      assertEquals(bytes.get(9) & 0xff, packet.protocol());
      assertEquals(Short.toUnsignedInt(bytes.getShort(10)), packet.checksum());
      assertEquals(bytes.getInt(12), packet.source());
      assertEquals(bytes.getInt(16), packet.destination());
    }
  }

  /// The checksum of the header as it is, from the definition.
  private static int checksum(ByteBuffer bytes) {
    int sum = 0;
    for (int at = 0; at < 20; at += 2) {
      sum += at == 10 ? 0 : Short.toUnsignedInt(bytes.getShort(at));
    }
    sum = (sum & 0xffff) + (sum >>> 16);
    return ~((sum & 0xffff) + (sum >>> 16)) & 0xffff;
  }

  @Test
  void keepsTheChecksumRightHopByHop() {
    Random random = new Random(1141);
    for (int round = 0; round < 1_000; round++) {
      ByteBuffer bytes = fill(random);
      packet.checksum(checksum(bytes));
      assertTrue(packet.isIntact());
      int hops = packet.timeToLive();
      assertEquals(hops > 1, Router.forward(packet));
      assertEquals(hops > 1 ? hops - 1 : hops, packet.timeToLive());
      assertTrue(packet.isIntact());
      packet.timeToLive(packet.timeToLive() ^ 1);
      assertFalse(packet.isIntact());
    }
  }

  @Test
  void printsEachHop() {
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      Router.main(new String[0]);
    } finally {
      System.setOut(before);
    }
    assertEquals(
        """
        IPv4, 115 bytes
        4 hops left, checksum f461 right
        3 hops left, checksum f561 right
        2 hops left, checksum f661 right
        1 hops left, checksum f761 right
        """,
        printed.toString(StandardCharsets.UTF_8));
  }

  /// What the page shows is what runs here.
  @Test
  void isTheProgramOfThePageAboutRules() throws Exception {
    Path root = Path.of("").toAbsolutePath().getParent();
    String page = Files.readString(root.resolve("docs/specializer.md"));
    Path rules = root.resolve("examples/src/main/rules");
    for (String name : List.of("ipv4.rules", "specializer.rules")) {
      assertTrue(page.contains(Files.readString(rules.resolve(name))), name);
    }
    String router =
        Files.readString(
            root.resolve("examples/src/main/java/dev/tigris/examples/packets/Router.java"));
    String forward =
        router.substring(
            router.indexOf("  public static boolean forward"),
            router.indexOf("  /// Forwards one"));
    assertTrue(page.contains(("  " + forward.strip()).stripIndent()), forward);
  }
}
