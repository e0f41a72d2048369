package dev.tigris.specializer.patch;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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
/// to the byte. Reads unchecked bytes, and refuses them if they are not a class file.
///
/// An agent looks at classes before any of this is compiled, when a call takes as long as a dozen
/// other instructions. So what each class needs is in few loops that call little, and names are
/// made into strings on demand.
final class ClassRegions {
  /// Where the number of constants stands.
  static final int POOL_COUNT_AT = 8;

  private static final int POOL_AT = 10;
  private static final int MAGIC = 0xCAFEBABE;
  static final int UTF8 = 1;
  private static final int LONG = 5;
  private static final int DOUBLE = 6;
  private static final int CLASS = 7;

  /// No constant takes less.
  private static final int MIN_CONSTANT = 3;

  /// How many bytes a constant takes, its tag included, by any byte that stands in place of a tag
  /// (JVMS 4.4): text varies, and where there is no such constant it is 0.
  private static final byte[] BYTES_OF_TAG = new byte[256];

  private static final byte VARIES = -1;

  static {
    byte[] known = {0, VARIES, 0, 5, 5, 9, 9, 3, 3, 5, 5, 5, 5, 0, 0, 4, 3, 5, 5, 3, 3};
    System.arraycopy(known, 0, BYTES_OF_TAG, 0, known.length);
  }

  /// A method: its name and descriptor as one string, and its range.
  record Method(String key, int start, int end) {}

  /// An attribute of the class: the index of its name, and its range.
  record Attribute(int nameIndex, int start, int end) {
    /// After its name and length.
    int contentStart() {
      return start + 6;
    }
  }

  private final byte[] classFile;

  /// Where each constant begins.
  private final int[] constants;

  private final int lastConstantAt;
  private final int poolEnd;
  private final int methodsAt;
  private final int attributesAt;
  private final List<Attribute> attributes = new ArrayList<>();

  /// Finds the parts of a class file.
  ///
  /// @throws IllegalArgumentException if it is none
  static ClassRegions of(byte[] classFile) {
    return new ClassRegions(classFile);
  }

  private ClassRegions(byte[] classFile) {
    this.classFile = classFile;
    need(0, POOL_AT);
    if (u4(0) != MAGIC) {
      throw new IllegalArgumentException("no class file");
    }
    constants = new int[u2(classFile, POOL_COUNT_AT)];
    poolEnd = constants();
    lastConstantAt = lastConstant();
    // Flags, name, superclass, and the number of interfaces.
    need(poolEnd, 8);
    int name = u2(classFile, poolEnd + 2);
    if (!has(name, CLASS) || !has(u2(classFile, constants[name] + 1), UTF8)) {
      throw new IllegalArgumentException("the class has no name");
    }
    int interfaces = u2(classFile, poolEnd + 6);
    need(poolEnd + 8, 2 * interfaces);
    methodsAt = members(poolEnd + 8 + 2 * interfaces);
    attributesAt = members(methodsAt);
    need(attributesAt, 2);
    int at = attributesAt + 2;
    for (int left = u2(classFile, attributesAt); left > 0; left--) {
      int end = attribute(at);
      attributes.add(new Attribute(u2(classFile, at), at, end));
      at = end;
    }
    if (at != classFile.length) {
      throw new IllegalArgumentException("bytes after the end of the class file");
    }
  }

  /// The name of the class, as `Class.getName` gives it.
  String className() {
    int name = constants[u2(classFile, poolEnd + 2)];
    return text(u2(classFile, name + 1)).replace('/', '.');
  }

  int poolCount() {
    return constants.length;
  }

  /// Where the last constant begins.
  int lastConstantAt() {
    return lastConstantAt;
  }

  /// Where the constants end.
  int poolEnd() {
    return poolEnd;
  }

  /// Where the number of methods stands.
  int methodsAt() {
    return methodsAt;
  }

  /// The methods, in the order of the class file.
  ///
  /// @throws IllegalArgumentException if one has no name
  List<Method> methods() {
    List<Method> methods = new ArrayList<>();
    int at = methodsAt + 2;
    for (int left = u2(classFile, methodsAt); left > 0; left--) {
      int end = attributes(at + 6);
      String key = text(u2(classFile, at + 2)) + text(u2(classFile, at + 4));
      methods.add(new Method(key, at, end));
      at = end;
    }
    return methods;
  }

  /// Where the number of attributes of the class stands.
  int attributesAt() {
    return attributesAt;
  }

  /// The attributes of the class, in the order of the class file.
  List<Attribute> attributes() {
    return attributes;
  }

  /// The attributes of the class that have a name.
  List<Attribute> attributes(byte[] name) {
    List<Attribute> found = new ArrayList<>();
    for (Attribute attribute : attributes) {
      if (has(attribute.nameIndex, UTF8)) {
        int start = constants[attribute.nameIndex] + 3;
        int end = start + u2(classFile, start - 2);
        if (end - start == name.length
            && Arrays.equals(classFile, start, end, name, 0, name.length)) {
          found.add(attribute);
        }
      }
    }
    return found;
  }

  /// Where the class file ends.
  int end() {
    return classFile.length;
  }

  /// The constant of that index, which must be text.
  String text(int index) {
    if (!has(index, UTF8)) {
      throw new IllegalArgumentException("a name is no text");
    }
    int start = constants[index] + 3;
    int length = u2(classFile, start - 2);
    return new String(classFile, start, length, StandardCharsets.UTF_8);
  }

  /// Finds where each constant begins.
  ///
  /// @return where the last one ends
  private int constants() {
    int last = classFile.length - MIN_CONSTANT;
    int at = POOL_AT;
    for (int index = 1; index < constants.length; index++) {
      if (at > last) {
        throw cutOff();
      }
      constants[index] = at;
      int tag = classFile[at] & 0xff;
      int bytes = BYTES_OF_TAG[tag];
      if (bytes > 0) {
        at += bytes;
        // A long or a double counts as two.
        index += tag == LONG || tag == DOUBLE ? 1 : 0;
      } else if (bytes == 0) {
        throw new IllegalArgumentException("unknown constant");
      } else {
        at += 3 + u2(classFile, at + 1);
      }
    }
    need(at, 0);
    return at;
  }

  private int lastConstant() {
    int index = constants.length - 1;
    // What comes after a long or a double is none.
    while (index > 1 && constants[index] == 0) {
      index--;
    }
    return index < 1 ? POOL_AT : constants[index];
  }

  /// Whether there is a constant of that kind. Where there is none, `constants` has 0, and at the
  /// beginning of a class file stands no tag.
  private boolean has(int index, int tag) {
    return index < constants.length && classFile[constants[index]] == tag;
  }

  /// Passes over fields or methods.
  ///
  /// @param at where their number stands
  /// @return where they end
  private int members(int at) {
    need(at, 2);
    int next = at + 2;
    for (int left = u2(classFile, at); left > 0; left--) {
      next = attributes(next + 6);
    }
    return next;
  }

  private int attributes(int at) {
    need(at, 2);
    int next = at + 2;
    for (int left = u2(classFile, at); left > 0; left--) {
      next = attribute(next);
    }
    return next;
  }

  private int attribute(int at) {
    need(at, 6);
    int bytes = u4(at + 2);
    if (bytes < 0) {
      throw cutOff();
    }
    need(at + 6, bytes);
    return at + 6 + bytes;
  }

  /// @param at not beyond the end by more than a few bytes
  private void need(int at, int count) {
    if (count > classFile.length - at) {
      throw cutOff();
    }
  }

  private static IllegalArgumentException cutOff() {
    return new IllegalArgumentException("the class file is cut off");
  }

  static int u2(byte[] bytes, int at) {
    return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
  }

  private int u4(int at) {
    return u2(classFile, at) << 16 | u2(classFile, at + 2);
  }
}
