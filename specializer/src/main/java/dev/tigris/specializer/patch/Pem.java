package dev.tigris.specializer.patch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;

/// Key files as OpenSSL writes them: text around Base64 (RFC 7468).
final class Pem {
  private static final int MAX_BYTES = 1 << 16;

  private Pem() {}

  /// What stands between the lines that begin and end `label`.
  ///
  /// @throws IOException if the file cannot be read or has no such lines
  static byte[] read(Path file, String label) throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException(file + " is too large for a key");
    }
    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
    String begin = "-----BEGIN " + label + "-----";
    String end = "-----END " + label + "-----";
    int start = text.indexOf(begin);
    int stop = text.indexOf(end, Math.max(0, start));
    if (start < 0 || stop < 0) {
      throw new IOException(
          "%s has no '%s'; the specializer takes the PEM files of: openssl genpkey -algorithm ed25519"
              .formatted(file, begin));
    }
    try {
      return Base64.getMimeDecoder().decode(text.substring(start + begin.length(), stop));
    } catch (IllegalArgumentException e) {
      throw new IOException(file + " is damaged between '" + begin + "' and '" + end + "'", e);
    }
  }
}
