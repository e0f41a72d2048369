package dev.tigris.memory;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
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
  private final Enum<?>[] constants;

  /// A hash table that is a quarter full at the most, so that most constants are found at the first
  /// place; a code that is taken by another lies behind it. 0 is a free place.
  private final int[] codes;

  /// The constants, each at the place of its code.
  private final @Nullable Enum<?>[] places;

  private final int shift;

  private EnumCodes(Class<?> type, Enum<?>[] constants) {
    this.type = type;
    this.constants = constants;
    int bits = 2 + Integer.SIZE - Integer.numberOfLeadingZeros(constants.length);
    this.codes = new int[1 << bits];
    this.places = new Enum<?>[codes.length];
    this.shift = Integer.SIZE - bits;
    for (Enum<?> constant : constants) {
      int code = code(constant);
      if (code == 0) {
        throw new IllegalArgumentException(
            "%s.%s cannot be stored: the hash code of its name is 0, which means null. Rename it"
                .formatted(type.getName(), constant.name()));
      }
      int place = place(code);
      Enum<?> other = places[place];
      if (other != null) {
        throw new IllegalArgumentException(
            "%s.%s and %s cannot be told apart when stored: their names have the same hash code."
                    .formatted(type.getName(), other.name(), constant.name())
                + " Rename one");
      }
      codes[place] = code;
      places[place] = constant;
    }
  }

  /// Where a code is, or a free place if it is nowhere.
  private int place(int code) {
    // The golden ratio spreads codes that are close to each other.
    int place = (code * 0x9e37_79b9) >>> shift;
    while (codes[place] != code && codes[place] != 0) {
      place = (place + 1) & (codes.length - 1);
    }
    return place;
  }

  /// The codes of an enum.
  ///
  /// @throws IllegalArgumentException if two of its constants cannot be told apart
  static EnumCodes of(Class<? extends Enum<?>> type) {
    return new EnumCodes(type, type.getEnumConstants());
  }

  static int code(Enum<?> constant) {
    return code(constant.name());
  }

  private static int code(String name) {
    return name.hashCode();
  }

  /// The codes of all constants. The enum is not initialized: how objects lie can be asked without
  /// running anybody's code.
  static Set<Integer> all(Class<?> type) {
    return Arrays.stream(type.getDeclaredFields())
        .filter(Field::isEnumConstant)
        .map(field -> code(field.getName()))
        .collect(Collectors.toUnmodifiableSet());
  }

  /// The name of the constant that a code stands for, `null` for 0; null if it stands for none. The
  /// enum is not initialized here either.
  static @Nullable String name(Class<?> type, int code) {
    return code == 0
        ? "null"
        : Arrays.stream(type.getDeclaredFields())
            .filter(Field::isEnumConstant)
            .map(Field::getName)
            .filter(name -> code(name) == code)
            .findFirst()
            .orElse(null);
  }

  int encode(@Nullable Enum<?> constant) {
    return constant == null ? 0 : code(constant);
  }

  @Nullable Enum<?> decode(int code) {
    if (code == 0) {
      return null;
    }
    Enum<?> constant = places[place(code)];
    if (constant == null) {
      throw new UnknownConstantException(
          "%08x is the code of no constant of %s, which has %s: the program that wrote it knew another"
                  .formatted(code, type.getName(), names())
              + " version of the enum, or the bytes are damaged");
    }
    return constant;
  }

  /// What they print themselves as could be anything.
  private List<String> names() {
    return Arrays.stream(constants).<String>map(Enum::name).toList();
  }

  /// The enum's name, for listings.
  @Override
  public String toString() {
    return type.getName();
  }
}
