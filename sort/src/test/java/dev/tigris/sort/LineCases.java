package dev.tigris.sort;

import dev.tigris.testing.process.Command;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Made-up texts and options, and what GNU sort makes of them.
final class LineCases {
  private static final String[] WORDS = {
    "",
    "a",
    "b",
    "A",
    "ab",
    "aB",
    "abcdefghijklmnop",
    "abcdefgh",
    "abcdefghi",
    "-",
    "~",
    ".",
    "..",
    "1",
    "-1",
    "0",
    "-0",
    "00",
    "007",
    "1.5",
    "-1.5",
    ".5",
    "1.50",
    "0.05",
    "-.05",
    "12345678901234567890",
    "12345678901234567891",
    "1e3",
    "1E-3",
    "1e4000",
    "-1e5000",
    "1e-4940",
    "1e-5000",
    "0x1p3",
    "0x1.8",
    "inf",
    "-inf",
    "Infinity",
    "+3",
    "+.5",
    "--5",
    "1K",
    "2k",
    "1M",
    "-1K",
    "1.5G",
    "0K",
    "3T",
    "12X",
    "JAN",
    "feb",
    "Dec",
    "MAY1",
    "januar",
    "1.2.3",
    "1.2.10",
    "a-1.0.tar.gz",
    "a-1.0~rc1.tar.gz",
    "a.b",
    ".a",
    "a~",
    "a1",
    "a01",
    "foo.c",
    "foo.10.c",
    "foo.9.c",
    "z",
    "Z",
    "_",
    "!",
    "\u00e4",
    "3.14159265358979323846",
    "3.14159265358979323847",
    "9007199254740993",
    "9007199254740992",
    "18446744073709551616",
    "99999999999999999999999",
    "1e19",
    "0.1",
    "0.10000000000000000001",
    "100000000000000000000e-20",
  };
  private static final String[] KEYS = {
    "1", "2", "1,1", "2,2", "3", "2,3", "1.2", "1.2,1.3", "2.2,3.1", "3,2", "1,1.0", "1.1,2.2",
    "10", "2.5", "1.3b", "2b,2", "2,2.2b", "2b,2.1b",
  };
  private static final String[] OPTIONS = {
    "", "", "n", "g", "h", "M", "V", "f", "d", "i", "r", "b", "nr", "fr", "df", "di", "gb", "hr",
    "Vr", "fd", "nf", "Mr", "bf", "iV", "fV",
  };

  /// GNU sort 9.1 takes this byte for a separator of thousands in the C locale, which has none.
  private static final int GNU_SEPARATOR = 0x80;

  private final Random random;

  LineCases(long seed) {
    this.random = new Random(seed);
  }

  /// A case: a text, and the options that say how to sort it.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Case(byte[] text, List<String> arguments, LineOrder order) {}

  Case next() {
    return parts(1).getFirst();
  }

  /// Several texts for the same options.
  List<Case> parts(int count) {
    List<String> arguments = new ArrayList<>();
    LineOrder.Builder order = LineOrder.builder();
    boolean zero = random.nextInt(8) == 0;
    if (zero) {
      arguments.add("-z");
      order.zeroTerminated();
    }
    char separator = 0;
    if (random.nextInt(2) == 0) {
      separator = ",:\t x".charAt(random.nextInt(5));
      arguments.add("-t");
      arguments.add(String.valueOf(separator));
      order.separator(separator);
    }
    for (int keys = random.nextInt(4); keys > 0; keys--) {
      String key = key();
      arguments.add("-k");
      arguments.add(key);
      order.key(key);
    }
    if (random.nextInt(2) == 0) {
      String global = OPTIONS[random.nextInt(OPTIONS.length)];
      if (!global.isEmpty()) {
        arguments.add("-" + global);
        order.options(global);
      }
    }
    if (random.nextInt(4) == 0) {
      arguments.add("-s");
      order.stable();
    }
    if (random.nextInt(4) == 0) {
      arguments.add("-u");
      order.unique();
    }
    LineOrder built = order.build();
    List<Case> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      parts.add(new Case(text(separator, zero), arguments, built));
    }
    return parts;
  }

  private String key() {
    String key = KEYS[random.nextInt(KEYS.length)];
    return key + OPTIONS[random.nextInt(OPTIONS.length)];
  }

  private byte[] text(char separator, boolean zero) {
    var text = new ByteArrayOutputStream();
    int kind = random.nextInt(4);
    int lines = random.nextInt(kind == 3 ? 400 : 40);
    for (int i = 0; i < lines; i++) {
      int fields = random.nextInt(5);
      for (int field = 0; field < fields; field++) {
        if (field > 0 || random.nextInt(4) == 0) {
          text.write(
              separator == 0 || random.nextInt(8) == 0
                  ? (random.nextBoolean() ? ' ' : '\t')
                  : separator);
        }
        if (kind == 0) {
          for (int length = random.nextInt(12); length > 0; length--) {
            int any = random.nextInt(256);
            text.write(any == GNU_SEPARATOR ? 'y' : any);
          }
        } else if (kind == 3) {
          text.writeBytes(("samestart" + random.nextInt(30)).getBytes(StandardCharsets.ISO_8859_1));
        } else {
          text.writeBytes(WORDS[random.nextInt(WORDS.length)].getBytes(StandardCharsets.UTF_8));
        }
      }
      if (i < lines - 1 || random.nextInt(3) > 0) {
        text.write(zero ? 0 : '\n');
      }
    }
    return text.toByteArray();
  }

  /// What GNU sort makes of a text.
  static byte[] gnuSort(Case given, Path folder) throws IOException {
    Path file = Files.write(folder.resolve("case"), given.text());
    List<String> arguments = new ArrayList<>(given.arguments());
    arguments.add(file.toString());
    return gnuSort(arguments, folder);
  }

  /// What GNU sort writes with these arguments.
  static byte[] gnuSort(List<String> arguments, Path folder) throws IOException {
    Path sorted = folder.resolve("sorted by GNU sort");
    Command.of("sort")
        .with(arguments.toArray(String[]::new))
        .environment("LC_ALL", "C")
        .outputTo(Redirect.to(sorted.toFile()))
        .errorsApart()
        .run()
        .expect(0);
    return Files.readAllBytes(sorted);
  }
}
