package dev.tigris.flow.mirror;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/// The description of a mirrored data set, of which each disk has a copy, `NAME.mirror`: lines of
/// text, which are written when all data is on the disks.
///
/// ```
///   tigris mirror 1                   the version of this format
///   id 0f3a9c21...                    32 digits that no other data set has
///   generation 1                      of two manifests of a name, the higher one counts
///   order striped                     or segments: how blocks make up the whole
///   block 262144                      bytes of each block but a segment's last
///   copies 2                          how many disks were to have each segment
///   disk /mnt/a                       the folders, from disk 0 on; HOST:DIR of other hosts
///   disk /mnt/b
///   segment 1000000 1b2c3d4e 0 1      its bytes, its table's sum, the disks that have it
///   segment 999999 5f6a7b8c 1 0
///   end 9d0e1f2a                      CRC-32C of all bytes before this line
/// ```
///
/// @param id 32 hexadecimal digits
/// @param isStriped whether block `b` of the whole is in segment `b` modulo the number of segments;
///     else the whole is one segment after the other
/// @param blockBytes a multiple of 4,096
/// @param copies how many disks were to have each segment
/// @param disks the folders
record Manifest(
    String id,
    long generation,
    boolean isStriped,
    int blockBytes,
    int copies,
    List<Path> disks,
    List<Segment> segments) {
  static final String FIRST = "tigris mirror ";
  static final String SUFFIX = ".mirror";
  static final int UNIT = 4096;
  static final int MOST_BLOCK_BYTES = 64 << 20;
  static final int MOST_BYTES = 64 << 20;
  static final int MOST_DISKS = 1024;
  private static final int VERSION = 1;
  private static final int ID_DIGITS = 32;
  private static final int SHORT_ID = 8;
  private static final int HEX = 16;

  /// A segment.
  ///
  /// @param bytes how many it has
  /// @param tableSum the CRC-32C of the table of its blocks' sums
  /// @param disks those that have a whole copy
  record Segment(long bytes, int tableSum, List<Integer> disks) {
    Segment {
      disks = List.copyOf(disks);
    }
  }

  Manifest {
    disks = List.copyOf(disks);
    segments = List.copyOf(segments);
  }

  /// Returns the file of a segment's copy on a disk.
  Path file(String name, int segment, int disk) {
    return file(disks.get(disk), name, id, segment);
  }

  static Path file(Path folder, String name, String id, int segment) {
    return folder.resolve("%s.%s.%04d".formatted(name, id.substring(0, SHORT_ID), segment));
  }

  /// Returns how many blocks a segment of so many bytes has.
  static long blocks(long bytes, int blockBytes) {
    return Math.ceilDiv(bytes, (long) blockBytes);
  }

  long blocks(int segment) {
    return blocks(segments.get(segment).bytes, blockBytes);
  }

  int bytesOf(int segment, long block) {
    return (int) Math.min(blockBytes, segments.get(segment).bytes - block * blockBytes);
  }

  /// Returns where a copy has its table: at the first unit behind the data.
  static long tableAt(long bytes) {
    return Math.ceilDiv(bytes, (long) UNIT) * UNIT;
  }

  long bytes() {
    return segments.stream().mapToLong(Segment::bytes).sum();
  }

  byte[] encode() {
    var text = new StringBuilder(FIRST + VERSION + "\n");
    text.append("id ").append(id).append('\n');
    text.append("generation ").append(generation).append('\n');
    text.append("order ").append(isStriped ? "striped" : "segments").append('\n');
    text.append("block ").append(blockBytes).append('\n');
    text.append("copies ").append(copies).append('\n');
    for (Path disk : disks) {
      text.append("disk ").append(disk).append('\n');
    }
    for (Segment segment : segments) {
      text.append("segment ").append(segment.bytes);
      text.append(' ').append(Integer.toHexString(segment.tableSum));
      segment.disks.forEach(disk -> text.append(' ').append(disk));
      text.append('\n');
    }
    byte[] body = text.toString().getBytes(StandardCharsets.UTF_8);
    byte[] end = "end %08x\n".formatted(sum(body, body.length)).getBytes(StandardCharsets.UTF_8);
    byte[] all = Arrays.copyOf(body, body.length + end.length);
    System.arraycopy(end, 0, all, body.length, end.length);
    return all;
  }

  private static int sum(byte[] bytes, int length) {
    var sum = new CRC32C();
    sum.update(bytes, 0, length);
    return (int) sum.getValue();
  }

  /// Reads one. Anything may be in the bytes.
  ///
  /// @param place of the file, for messages
  /// @throws MirrorException if they are not a manifest, are damaged, or are of a later version
  static Manifest decode(byte[] bytes, Path place) throws IOException {
    String text;
    try {
      text =
          StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(bytes))
              .toString();
    } catch (CharacterCodingException e) {
      throw new MirrorException(place + " is no manifest of a mirrored data set", e);
    }
    if (!text.startsWith(FIRST)) {
      throw new MirrorException(place + " is no manifest of a mirrored data set");
    }
    int line = text.indexOf('\n');
    String version = line < 0 ? "" : text.substring(FIRST.length(), line);
    if (!version.equals(Integer.toString(VERSION))) {
      throw new MirrorException(
          "%s has version '%s' of the format, and this program knows version %d: read it with a newer one"
              .formatted(place, version, VERSION));
    }
    int end = text.lastIndexOf("end ");
    String wanted =
        "end %08x\n".formatted(end < 0 ? 0 : sum(bytes, bytes.length - (text.length() - end)));
    if (end < 0 || !text.substring(end).equals(wanted)) {
      throw damaged(place, "its checksum does not match");
    }
    try {
      return parse(text.substring(line + 1, end).split("\n"), place);
    } catch (RuntimeException e) { // with a checksum that matches: another program has written it
      MirrorException damaged = damaged(place, "it makes no sense");
      damaged.initCause(e);
      throw damaged;
    }
  }

  private static MirrorException damaged(Path place, String why) {
    return new MirrorException(
        "%s is damaged, since %s: name the manifest on another disk, and repair the data set"
            .formatted(place, why));
  }

  private static Manifest parse(String[] lines, Path place) throws MirrorException {
    String id = "";
    String order = "";
    long generation = 0;
    int blockBytes = 0;
    int copies = 0;
    var disks = new ArrayList<Path>();
    var segments = new ArrayList<Segment>();
    for (String line : lines) {
      int space = line.indexOf(' ');
      String value = line.substring(space + 1);
      switch (line.substring(0, space)) {
        case "id" -> id = value;
        case "generation" -> generation = Long.parseLong(value);
        case "order" -> order = value;
        case "block" -> blockBytes = Integer.parseInt(value);
        case "copies" -> copies = Integer.parseInt(value);
        case "disk" -> disks.add(Path.of(value));
        case "segment" -> segments.add(segment(value.split(" ")));
        default -> throw damaged(place, "it has a line '%s'".formatted(line));
      }
    }
    var made =
        new Manifest(id, generation, order.equals("striped"), blockBytes, copies, disks, segments);
    if (!made.makesSense(order)) {
      throw damaged(place, "it makes no sense");
    }
    return made;
  }

  private static Segment segment(String[] words) {
    List<Integer> disks = new ArrayList<>();
    for (int i = 2; i < words.length; i++) {
      disks.add(Integer.valueOf(words[i]));
    }
    return new Segment(Long.parseLong(words[0]), Integer.parseUnsignedInt(words[1], HEX), disks);
  }

  private boolean makesSense(String order) {
    boolean sane =
        id.length() == ID_DIGITS
            && id.chars().allMatch(c -> Character.digit(c, HEX) >= 0)
            && (isStriped || order.equals("segments"))
            && blockBytes > 0
            && blockBytes % UNIT == 0
            && blockBytes <= MOST_BLOCK_BYTES
            && copies > 0
            && copies <= disks.size()
            && disks.size() <= MOST_DISKS
            && !segments.isEmpty();
    long most = Long.MAX_VALUE / Math.max(1, segments.size());
    for (Segment segment : segments) {
      sane &= segment.bytes >= 0 && segment.bytes < most;
      sane &= !segment.disks.isEmpty() && segment.disks.size() <= copies;
      sane &= segment.disks.stream().distinct().count() == segment.disks.size();
      sane &= segment.disks.stream().allMatch(disk -> disk >= 0 && disk < disks.size());
    }
    return sane && (!isStriped || isEven());
  }

  /// Returns whether the segments are what striping so many bytes gives.
  private boolean isEven() {
    long bytes = bytes();
    for (int segment = 0; segment < segments.size(); segment++) {
      if (segments.get(segment).bytes != striped(bytes, segment, segments.size(), blockBytes)) {
        return false;
      }
    }
    return true;
  }

  /// Refuses segments that are not the stripes of a whole.
  void requireStripes(String name) throws MirrorException {
    if (!isEven()) {
      throw new MirrorException(
          "the segments of %s have %s bytes, which are no stripes of one whole: give each replica every n-th block"
              .formatted(name, segments.stream().map(Segment::bytes).toList()));
    }
  }

  /// Returns how many of some bytes a segment gets.
  static long striped(long bytes, int segment, int segments, int blockBytes) {
    long whole = bytes / blockBytes;
    long mine = whole / segments + (segment < whole % segments ? 1 : 0);
    return mine * blockBytes + (whole % segments == segment ? bytes % blockBytes : 0);
  }

  /// Returns a manifest with other segments, disks and generation.
  Manifest with(long newGeneration, List<Path> newDisks, List<Segment> newSegments) {
    return new Manifest(id, newGeneration, isStriped, blockBytes, copies, newDisks, newSegments);
  }
}
