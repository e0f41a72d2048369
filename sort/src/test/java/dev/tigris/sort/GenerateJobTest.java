package dev.tigris.sort;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.testing.host.SmallDisk;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GenerateJobTest {
  @TempDir Path folder;

  @Test
  void makesTheKnownBinaryRecords() throws Exception {
    byte[] bytes = generate(GenerateJob.to(folder.resolve("out"), 2));
    assertEquals(200, bytes.length);
    assertEquals("4a696d47726179524950" + "65080060836b", hex(bytes, 0, 16));
    assertEquals("95e0e48262b3", hex(bytes, 100, 106));
  }

  @Test
  void sumsTheKnownChecksums() throws Exception {
    assertEquals("55fea8a1a", checksum(GenerateJob.to(Path.of("/dev/null"), 10)));
    assertEquals("1ea6370b955", checksum(GenerateJob.to(Path.of("/dev/null"), 1_000)));
    assertEquals("7a0e0d4868cd4", checksum(GenerateJob.to(Path.of("/dev/null"), 1_000_000)));
    assertEquals("469302dca", checksum(GenerateJob.to(Path.of("/dev/null"), 10).ascii()));
  }

  @Test
  void asciiRecordsAreTextLines() throws Exception {
    byte[] bytes = generate(GenerateJob.to(folder.resolve("out"), 20).ascii());
    for (int i = 0; i < 20; i++) {
      String line = new String(bytes, 100 * i, 100, US_ASCII);
      assertTrue(
          line.matches("[ -~]{10}  [0-9A-F]{32}  (([0-9A-F])\\2{3}){13}\r\n"),
          () -> "odd: " + line);
      assertEquals(String.format("%032X", i), line.substring(12, 44));
    }
  }

  @Test
  void anyRecordCanBeTheFirst() throws Exception {
    byte[] all = generate(GenerateJob.to(folder.resolve("all"), 2_000));
    byte[] tail =
        generate(GenerateJob.to(folder.resolve("tail"), 500).from(UInt128.of(1_500)).parallel(1));
    assertArrayEquals(Arrays.copyOfRange(all, 150_000, 200_000), tail);
  }

  @Test
  void recordNumbersHave128Bits() throws Exception {
    UInt128 first = UInt128.parse("36893488147419103231");
    byte[] bytes = generate(GenerateJob.to(folder.resolve("out"), 2).ascii().from(first));
    assertEquals("0000000000000001FFFFFFFFFFFFFFFF", new String(bytes, 12, 32, US_ASCII));
    assertEquals("00000000000000020000000000000000", new String(bytes, 112, 32, US_ASCII));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "+5", "-1", "1_0", "1M", "٣", "340282366920938463463374607431768211456"})
  void refusesWhatIsNoRecordNumber(String text) {
    assertThrows(NumberFormatException.class, () -> UInt128.parse(text));
  }

  @Test
  void skewedKeysBeginAsTheRecordOfTheirNumbersSizeDoes() throws Exception {
    int count = 3_000;
    byte[] plain = generate(GenerateJob.to(folder.resolve("plain"), count));
    byte[] skewed = generate(GenerateJob.to(folder.resolve("skewed"), count).skewed());
    for (int n = 0; n < count; n++) {
      BigInteger low = BigInteger.valueOf(Gensort.random(UInt128.of(n + 1L)).low());
      int bits = low.shiftRight(32).intValue() & 63;
      bits = bits > 48 ? 0 : bits;
      int lender = BigInteger.valueOf(n).bitLength();
      BigInteger key = new BigInteger(1, Arrays.copyOfRange(plain, 100 * n, 100 * n + 10));
      BigInteger head =
          new BigInteger(1, Arrays.copyOfRange(plain, 100 * lender, 100 * lender + 10));
      int rest = 80 - bits;
      BigInteger expected =
          head.shiftRight(rest).shiftLeft(rest).or(key.mod(BigInteger.ONE.shiftLeft(rest)));
      BigInteger actual = new BigInteger(1, Arrays.copyOfRange(skewed, 100 * n, 100 * n + 10));
      assertEquals(expected, actual, "record " + n);
    }
  }

  /// gensort means to count the significant bits of a record's number, and takes any of the four
  /// highest of a half for the very highest.
  @Test
  void skewedRecordsOfVeryHighNumbersBorrowAsGensortLetsThem() throws Exception {
    byte[] plain = generate(GenerateJob.to(folder.resolve("plain"), 129).ascii());
    GenerateJob job = GenerateJob.to(folder.resolve("skewed"), 20).ascii().skewed();
    for (int bit = 56; bit < 128; bit++) {
      int lender = bit % 64 < 60 ? bit + 1 : bit < 64 ? 64 : 128;
      UInt128 first = new UInt128(bit < 64 ? 0 : 1L << bit, bit < 64 ? 1L << bit : 0);
      byte[] skewed = generate(job.from(first));
      int borrowed = 0;
      for (int n = 0; n < 20; n++) {
        int count = (int) (Gensort.random(first.plus(n + 1)).low() >>> 32) & 7;
        count = count > 6 ? 0 : count;
        borrowed += count;
        assertEquals(
            new String(plain, 100 * lender, count, US_ASCII),
            new String(skewed, 100 * n, count, US_ASCII),
            "from bit " + bit + ", record " + n);
      }
      assertTrue(borrowed > 0, "nothing borrowed from bit " + bit);
    }
  }

  @Test
  void skewedAsciiKeysBorrowWholeCharacters() throws Exception {
    int count = 3_000;
    byte[] plain = generate(GenerateJob.to(folder.resolve("plain"), count).ascii());
    byte[] skewed = generate(GenerateJob.to(folder.resolve("skewed"), count).ascii().skewed());
    for (int n = 0; n < count; n++) {
      int borrowed = (int) (Gensort.random(UInt128.of(n + 1L)).low() >>> 32) & 7;
      borrowed = borrowed > 6 ? 0 : borrowed;
      int lender = BigInteger.valueOf(n).bitLength();
      String expected =
          new String(plain, 100 * lender, borrowed, US_ASCII)
              + new String(plain, 100 * n + borrowed, 100 - borrowed, US_ASCII);
      assertEquals(expected, new String(skewed, 100 * n, 100, US_ASCII), "record " + n);
    }
    assertEquals("}[v>zy", new String(plain, 2_000, 6, US_ASCII));
  }

  @Test
  void manyThreadsMakeTheSameFileAsOne() throws Exception {
    byte[] one = generate(GenerateJob.to(folder.resolve("one"), 123_457).skewed().parallel(1));
    byte[] four = generate(GenerateJob.to(folder.resolve("four"), 123_457).skewed().parallel(4));
    assertArrayEquals(one, four);
  }

  @Test
  void noRecordsAreAnEmptyFile() throws Exception {
    assertEquals(0, generate(GenerateJob.to(folder.resolve("out"), 0)).length);
  }

  @Test
  void replacesAnExistingFile() throws Exception {
    Path out = folder.resolve("out");
    Files.write(out, new byte[12_345]);
    assertEquals(1_000, generate(GenerateJob.to(out, 10)).length);
  }

  @Test
  void keepsWhatWasThereUntilTheNewFileIsComplete() throws Exception {
    Path out = Files.writeString(folder.resolve("out"), "precious");
    Path link = Files.createSymbolicLink(folder.resolve("link"), out);
    long tooMany = Long.MAX_VALUE / Gensort.RECORD_SIZE;
    for (Path output : List.of(out, link)) {
      SortException failed =
          assertThrows(SortException.class, () -> GenerateJob.to(output, tooMany).run());
      assertEquals(SortException.Kind.OUTPUT, failed.kind(), failed.getMessage());
    }
    Thread caller = Thread.currentThread();
    GenerateJob stopped =
        GenerateJob.to(out, 100_000).progress((phase, done, all) -> caller.interrupt());
    assertThrows(InterruptedException.class, stopped::run);
    assertEquals("precious", Files.readString(link));
    try (Stream<Path> all = Files.list(folder)) {
      assertEquals(Set.of(out, link), all.collect(Collectors.toSet()));
    }
  }

  /// A program that runs may not be written to, not even by root; its file may be replaced.
  @Test
  @EnabledOnOs(OS.LINUX)
  void replacesAFileThatItCannotOpen() throws Exception {
    Path cat = Path.of("/bin/cat");
    assumeTrue(Files.isExecutable(cat), "there is no program to run");
    Path file = Files.copy(cat, folder.resolve("records"));
    try (Child running = Command.of(file.toString()).start()) {
      running.say("x");
      running.expectLine("x"); // it runs
      assertEquals(1_000, generate(GenerateJob.to(file, 10)).length);
      assertTrue(running.isAlive());
    }
  }

  @Test
  void refusesAMissingFolder() {
    Path out = folder.resolve("missing").resolve("out");
    SortException refused = assertThrows(SortException.class, () -> GenerateJob.to(out, 10).run());
    assertEquals(SortException.Kind.OUTPUT, refused.kind());
    assertTrue(refused.getMessage().contains("create it first"));
  }

  @Test
  void leavesNothingBehindWhenTheDiskIsFull() throws Exception {
    try (SmallDisk disk = SmallDisk.inMemory(folder, 4 << 20)) {
      Path out = disk.folder().resolve("out");
      SortException failed =
          assertThrows(SortException.class, () -> GenerateJob.to(out, 1_000_000).run());
      assertEquals(SortException.Kind.DISK_FULL, failed.kind(), failed.getMessage());
      try (Stream<Path> left = Files.list(disk.folder())) {
        assertEquals(List.of(), left.toList());
      }
    }
  }

  private static byte[] generate(GenerateJob job) throws IOException, InterruptedException {
    GenerateJob.Result result = job.run();
    byte[] bytes = Files.readAllBytes(job.output());
    assertEquals(bytes.length, result.bytes());
    return bytes;
  }

  private static String checksum(GenerateJob job) throws Exception {
    return String.valueOf(job.checksum().run().checksum().toHex());
  }

  private static String hex(byte[] bytes, int from, int to) {
    return HexFormat.of().formatHex(bytes, from, to);
  }
}
