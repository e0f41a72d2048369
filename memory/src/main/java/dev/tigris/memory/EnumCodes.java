package dev.tigris.memory;

import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/// How the constants of one enum are stored: by the hash code of their names, which the Java
/// platform specifies ([String#hashCode]); 0 is null.
///
/// So constants may be added, and put in another order, without a stored one changing its meaning;
/// one that was renamed or removed is found out when it is read. A number takes four bytes where a
/// name would take any number, and two names of one enum rarely have the same; such an enum is
/// refused.
final class EnumCodes {
  private final Class<?> type;

  /// Sorted, and the constants in the same order.
  private final int[] codes;

  private final Enum<?>[] constants;

  private EnumCodes(Class<?> type, Enum<?>[] declared) {
    this.type = type;
    this.constants = declared.clone();
    Arrays.sort(constants, Comparator.comparingInt(EnumCodes::code));
    this.codes = Arrays.stream(constants).mapToInt(EnumCodes::code).toArray();
    for (int i = 0; i < codes.length; i++) {
      if (codes[i] == 0) {
        throw new IllegalArgumentException(
            "%s.%s cannot be stored: the hash code of its name is 0, which means null. Rename it"
                .formatted(type.getName(), constants[i].name()));
      }
      if (i > 0 && codes[i] == codes[i - 1]) {
        throw new IllegalArgumentException(
            "%s.%s and %s cannot be told apart when stored: their names have the same hash code."
                    .formatted(type.getName(), constants[i - 1].name(), constants[i].name())
                + " Rename one");
      }
    }
  }

  /// The codes of an enum.
  ///
  /// @throws IllegalArgumentException if two of its constants cannot be told apart
  static EnumCodes of(Class<? extends Enum<?>> type) {
    return new EnumCodes(type, type.getEnumConstants());
  }

  static int code(Enum<?> constant) {
    return constant.name().hashCode();
  }

  int encode(@Nullable Enum<?> constant) {
    return constant == null ? 0 : code(constant);
  }

  @Nullable Enum<?> decode(int code) {
    if (code == 0) {
      return null;
    }
    int index = Arrays.binarySearch(codes, code);
    if (index < 0) {
      throw new UnknownConstantException(
          "%08x is the code of no constant of %s, which has %s: the program that wrote it knew another"
                  .formatted(code, type.getName(), Arrays.toString(constants))
              + " version of the enum, or the bytes are damaged");
    }
    return constants[index];
  }

  /// The enum's name, for listings.
  @Override
  public String toString() {
    return type.getName();
  }
}
