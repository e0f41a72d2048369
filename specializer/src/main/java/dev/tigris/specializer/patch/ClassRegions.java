package dev.tigris.specializer.patch;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Where the parts of a class file lie (JVMS 4.1), byte by byte.
///
/// ```text
///   0        8      10           poolEnd         methodsAt          attributesAt
///   +--------+------+------------+---------------+--------+---------+-------+------------+
///   | header | pool | constants  | flags, names, | method | methods | attr. | attributes |
///   |        | count|            | fields        | count  |         | count |            |
///   +--------+------+------------+---------------+--------+---------+-------+------------+
/// ```
///
/// The class-file library of the JDK models what a class file says, not where; a patch must be true
/// to the byte. Reads bytes that nobody has checked: what is no class file is refused.
///
/// @param className the name of the class, as `Class.getName` gives it
/// @param lastConstantAt where the last constant begins
/// @param poolEnd where the constants end
/// @param methodsAt where the number of methods stands
/// @param attributesAt where the number of attributes of the class stands
/// @param end where the class file ends
record ClassRegions(
    String className,
    int poolCount,
    int lastConstantAt,
    int poolEnd,
    int methodsAt,
    List<Method> methods,
    int attributesAt,
    List<Attribute> attributes,
    int end) {
  /// Where the number of constants stands.
  static final int POOL_COUNT_AT = 8;

  private static final int POOL_AT = 10;
  private static final int MAGIC = 0xCAFEBABE;
  static final int UTF8 = 1;
  private static final int LONG = 5;
  private static final int DOUBLE = 6;
  private static final int CLASS = 7;

  /// How many bytes a constant takes, its tag included, by tag (JVMS 4.4); 0 where there is none,
  /// and for text, which varies.
  private static final byte[] BYTES_OF_TAG = {
    0, 0, 0, 5, 5, 9, 9, 3, 3, 5, 5, 5, 5, 0, 0, 4, 3, 5, 5, 3, 3
  };

  /// A method: its name and descriptor as one string, and its range.
  record Method(String key, int start, int end) {}

  /// An attribute of the class: the index of its name, its name, and its range.
  record Attribute(int nameIndex, String name, int start, int end) {
    /// After its name and length.
    int contentStart() {
      return start + 6;
    }
  }

  /// Finds the parts of a class file.
  ///
  /// @throws IllegalArgumentException if it is none
  static ClassRegions of(byte[] classFile) {
    return new Parser(classFile).parse();
  }

  Optional<Method> method(String key) {
    return methods.stream().filter(method -> method.key.equals(key)).findFirst();
  }

  /// How many bytes a constant takes, its tag included; 0 if there is no such constant.
  private static int constantBytes(byte[] classFile, int at) {
    int tag = classFile[at];
    if (tag == UTF8) {
      return at + 2 < classFile.length ? 3 + u2(classFile, at + 1) : 0;
    }
    return tag > UTF8 && tag < BYTES_OF_TAG.length ? BYTES_OF_TAG[tag] : 0;
  }

  /// Whether `text` is among the constants of a class file. An agent asks for each class that is
  /// loaded, mostly before this is compiled: so it is one loop that calls nothing. What isn't a
  /// class file has no constants.
  static boolean hasConstant(byte[] classFile, byte[] text) {
    int length = classFile.length;
    if (length < POOL_AT) {
      return false;
    }
    int left = ((classFile[POOL_COUNT_AT] & 0xff) << 8 | (classFile[POOL_COUNT_AT + 1] & 0xff)) - 1;
    // The text of a constant is behind its tag and its length.
    for (int at = POOL_AT; left > 0 && at < length - 2; left--) {
      int tag = classFile[at];
      if (tag == UTF8) {
        int bytes = (classFile[at + 1] & 0xff) << 8 | (classFile[at + 2] & 0xff);
        at += 3;
        if (bytes == text.length
            && bytes <= length - at
            && Arrays.equals(classFile, at, at + bytes, text, 0, bytes)) {
          return true;
        }
        at += bytes;
      } else if (tag > UTF8 && tag < BYTES_OF_TAG.length && BYTES_OF_TAG[tag] != 0) {
        at += BYTES_OF_TAG[tag];
        // A long or a double counts as two.
        left -= tag == LONG || tag == DOUBLE ? 1 : 0;
      } else {
        return false;
      }
    }
    return false;
  }

  static int u2(byte[] bytes, int at) {
    return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
  }

  private static final class Parser {
    private final byte[] bytes;
    private int at;
    private int[] constants = {};

    Parser(byte[] bytes) {
      this.bytes = bytes;
    }

    ClassRegions parse() {
      if (u4() != MAGIC) {
        throw new IllegalArgumentException("no class file");
      }
      u4();
      int count = u2();
      int lastConstantAt = constants(count);
      int poolEnd = at;
      skip(2);
      String className = className(u2());
      skip(2);
      skip(2L * u2());
      for (int fields = u2(); fields > 0; fields--) {
        member();
      }
      int methodsAt = at;
      List<Method> methods = new ArrayList<>();
      for (int left = u2(); left > 0; left--) {
        int start = at;
        String key = member();
        methods.add(new Method(key, start, at));
      }
      int attributesAt = at;
      List<Attribute> attributes = new ArrayList<>();
      for (int left = u2(); left > 0; left--) {
        int start = at;
        int name = u2();
        skip(u4() & 0xffff_ffffL);
        attributes.add(new Attribute(name, utf8(name), start, at));
      }
      if (at != bytes.length) {
        throw new IllegalArgumentException("bytes after the end of the class file");
      }
      return new ClassRegions(
          className,
          count,
          lastConstantAt,
          poolEnd,
          methodsAt,
          methods,
          attributesAt,
          attributes,
          at);
    }

    private int constants(int count) {
      constants = new int[count];
      int last = at;
      for (int index = 1; index < count; index++) {
        need(1);
        int length = constantBytes(bytes, at);
        if (length == 0) {
          throw new IllegalArgumentException("unknown constant");
        }
        constants[index] = at;
        last = at;
        index += bytes[at] == LONG || bytes[at] == DOUBLE ? 1 : 0;
        skip(length);
      }
      return last;
    }

    /// Passes over a field or method.
    private String member() {
      skip(2);
      // Not +, which would make the agent load what links call sites.
      String key = utf8(u2()).concat(utf8(u2()));
      for (int left = u2(); left > 0; left--) {
        skip(2);
        skip(u4() & 0xffff_ffffL);
      }
      return key;
    }

    private String className(int index) {
      if (index == 0 || index >= constants.length || bytes[constants[index]] != CLASS) {
        throw new IllegalArgumentException("the class has no name");
      }
      return utf8(ClassRegions.u2(bytes, constants[index] + 1)).replace('/', '.');
    }

    private String utf8(int index) {
      if (index == 0 || index >= constants.length || bytes[constants[index]] != UTF8) {
        throw new IllegalArgumentException("a name is no text");
      }
      int start = constants[index] + 3;
      int length = ClassRegions.u2(bytes, start - 2);
      return new String(bytes, start, length, StandardCharsets.UTF_8);
    }

    private int u2() {
      need(2);
      at += 2;
      return ClassRegions.u2(bytes, at - 2);
    }

    private int u4() {
      return u2() << 16 | u2();
    }

    private void skip(long count) {
      need(count);
      at += (int) count;
    }

    private void need(long count) {
      if (count > bytes.length - at) {
        throw new IllegalArgumentException("the class file is cut off");
      }
    }
  }
}
