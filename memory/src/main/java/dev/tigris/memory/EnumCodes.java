package dev.tigris.memory;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.BitSet;
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
///
/// They are found in a hash table, by multiplying. If they can be, all are at the place that the
/// product says, and no other is looked at.
///
/// C2 trusts the fields of records: where the codes of an enum are a constant, so are its tables,
/// their sizes, the multiplier and the shift.
///
/// @param codes a quarter full at the most; 0 is a free place, as the first one always is, where
///     null is found
/// @param places the constants, each at the place of its code
@SuppressWarnings("ArrayRecordComponent") // two are equal if they are the same
record EnumCodes(
    Class<?> type, int[] codes, @Nullable Enum<?>[] places, int multiplier, int shift) {
  /// The golden ratio, by which codes that are close to each other are spread best.
  private static final int GOLDEN = 0x9e37_79b9;

  /// How many multipliers are tried with a table.
  private static final int TRIES = 32;

  /// By how many bits a table may be larger than it has to be. At 2,048 places, which are four
  /// times as many, a hundred constants have a chance of one in eleven with each multiplier.
  private static final int MORE_BITS = 3;

  private static final ClassValue<EnumCodes> ALL =
      new ClassValue<>() {
        @Override
        protected EnumCodes computeValue(Class<?> type) {
          return spread(type, (Enum<?>[]) type.getEnumConstants());
        }
      };

  /// The codes of an enum, the same each time.
  ///
  /// @throws IllegalArgumentException if two of its constants cannot be told apart
  static EnumCodes of(Class<? extends Enum<?>> type) {
    return ALL.get(type);
  }

  private static EnumCodes spread(Class<?> type, Enum<?>[] constants) {
    int least = 2 + Integer.SIZE - Integer.numberOfLeadingZeros(constants.length);
    for (int bits = least; bits <= least + MORE_BITS; bits++) {
      for (int odd = 1; odd < 2 * TRIES; odd += 2) {
        if (haveOwnPlaces(constants, GOLDEN * odd, Integer.SIZE - bits)) {
          return of(type, constants, GOLDEN * odd, bits);
        }
      }
    }
    return of(type, constants, GOLDEN, least);
  }

  /// Whether no two constants come to the same place, and none to the first one.
  private static boolean haveOwnPlaces(Enum<?>[] constants, int multiplier, int shift) {
    BitSet taken = new BitSet();
    taken.set(0);
    for (Enum<?> constant : constants) {
      int place = firstPlace(code(constant), multiplier, shift);
      if (taken.get(place)) {
        return false;
      }
      taken.set(place);
    }
    return true;
  }

  /// The codes in a table of `2^bits` places, wherever the multiplier puts the constants.
  static EnumCodes of(Class<?> type, Enum<?>[] constants, int multiplier, int bits) {
    int size = 1 << bits;
    EnumCodes made =
        new EnumCodes(
            type, new int[size], new @Nullable Enum<?>[size], multiplier, Integer.SIZE - bits);
    for (Enum<?> constant : constants) {
      made.add(constant);
    }
    return made;
  }

  private void add(Enum<?> constant) {
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

  private static int firstPlace(int code, int multiplier, int shift) {
    return (code * multiplier) >>> shift;
  }

  /// Where a code other than 0 is, or a free place if it is nowhere.
  private int place(int code) {
    int place = firstPlace(code, multiplier, shift);
    while (place == 0 || (codes[place] != code && codes[place] != 0)) {
      place = (place + 1) & (codes.length - 1);
    }
    return place;
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

  /// The constant that a code stands for. Mostly it is at its first place, or else found by a
  /// method of its own: C2 has a straight line of code as long as that was never called.
  @Nullable Enum<?> decode(int code) {
    int place = firstPlace(code, multiplier, shift);
    return codes[place] == code ? places[place] : decodeElsewhere(code);
  }

  private Enum<?> decodeElsewhere(int code) {
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
    return Arrays.stream(type.getEnumConstants())
        .map(constant -> ((Enum<?>) constant).name())
        .toList();
  }

  /// The enum's name, for listings.
  @Override
  public String toString() {
    return type.getName();
  }
}
