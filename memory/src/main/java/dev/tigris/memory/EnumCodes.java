package dev.tigris.memory;

import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
/// **While the enum is initialized**, by the constructors of its constants, there may be objects
/// with fields of it already. So the codes are made of the names alone, and the enum is initialized
/// by the first read of a constant that nobody has written here. What this program wrote is what
/// it reads, be it `this` of a constructor that has not returned. What others wrote is found if
/// the enum's own field has it, and refused otherwise. Another thread waits for the initialization
/// to end when it first reads a constant, as it would at the enum's own field; neither writing nor
/// reading null ever does.
///
/// C2 trusts the fields of records: where the codes of an enum are a constant, so are its tables,
/// their sizes, the multiplier and the shift.
///
/// @param codes a quarter full at the most; 0 is a free place, as the first one always is, where
///     null is found
/// @param places the constants, each at the place of its code; null until all are made
/// @param written the codes, each at the ordinal number of its constant; 0 until that is written
/// @param early the constants that were written, by their ordinal numbers; guarded by itself, as
///     writes to `written` are: whoever finds a code there finds its constant here
@SuppressWarnings({
  "ArrayRecordComponent", // two are equal if they are the same
  "EnumOrdinal" // not stored
})
record EnumCodes(
    Class<?> type,
    int[] codes,
    @Nullable Enum<?>[] places,
    int[] written,
    @Nullable Enum<?>[] early,
    int multiplier,
    int shift) {
  /// The golden ratio, by which codes that are close to each other are spread best.
  private static final int GOLDEN = 0x9e37_79b9;

  /// How many multipliers are tried with a table.
  private static final int TRIES = 32;

  /// A table may be larger than it has to be by this many bits. With 2,048 places, four times as
  /// many as it has to have, a table of a hundred constants succeeds with one multiplier in eleven.
  private static final int MORE_BITS = 3;

  private static final ClassValue<EnumCodes> ALL =
      new ClassValue<>() {
        @Override
        protected EnumCodes computeValue(Class<?> type) {
          return spread(type, namesOf(type).toList());
        }
      };

  /// The codes of an enum, the same each time. It is not initialized.
  ///
  /// @throws IllegalArgumentException if two of its constants cannot be told apart
  static EnumCodes of(Class<? extends Enum<?>> type) {
    return ALL.get(type);
  }

  private static EnumCodes spread(Class<?> type, List<String> names) {
    int least = 2 + Integer.SIZE - Integer.numberOfLeadingZeros(names.size());
    for (int bits = least; bits <= least + MORE_BITS; bits++) {
      for (int odd = 1; odd < 2 * TRIES; odd += 2) {
        if (haveOwnPlaces(names, GOLDEN * odd, Integer.SIZE - bits)) {
          return of(type, names, GOLDEN * odd, bits);
        }
      }
    }
    return of(type, names, GOLDEN, least);
  }

  /// Whether no two constants come to the same place, and none to the first one.
  private static boolean haveOwnPlaces(List<String> names, int multiplier, int shift) {
    BitSet taken = new BitSet();
    taken.set(0);
    for (String name : names) {
      int place = firstPlace(code(name), multiplier, shift);
      if (taken.get(place)) {
        return false;
      }
      taken.set(place);
    }
    return true;
  }

  /// The codes in a table of `2^bits` places, wherever the multiplier puts the constants.
  static EnumCodes of(Class<?> type, List<String> names, int multiplier, int bits) {
    int size = 1 << bits;
    EnumCodes made =
        new EnumCodes(
            type,
            new int[size],
            new @Nullable Enum<?>[size],
            new int[names.size()],
            new @Nullable Enum<?>[names.size()],
            multiplier,
            Integer.SIZE - bits);
    names.forEach(made::add);
    return made;
  }

  private void add(String name) {
    int code = code(name);
    if (code == 0) {
      throw new IllegalArgumentException(
          "%s.%s cannot be stored: the hash code of its name is 0, which stands for null. Rename it"
              .formatted(type.getName(), name));
    }
    int place = place(code);
    if (codes[place] != 0) {
      throw new IllegalArgumentException(
          "%s.%s and %s cannot be told apart when stored: their names have the same hash code."
                  .formatted(type.getName(), name(type, code), name)
              + " Rename one");
    }
    codes[place] = code;
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

  /// The names of the constants, in the order in which they are declared. Where a class is missing
  /// that a field of the enum is of, which the JDK loads with the fields, the enum is initialized
  /// for them.
  static Stream<String> namesOf(Class<?> type) {
    try {
      return Arrays.stream(type.getDeclaredFields())
          .filter(Field::isEnumConstant)
          .map(Field::getName);
    } catch (NoClassDefFoundError e) {
      Enum<?>[] constants = (Enum<?>[]) type.getEnumConstants();
      if (constants == null) { // this thread is about to make them
        throw e;
      }
      return Arrays.stream(constants).map(Enum::name);
    }
  }

  /// The codes of all constants. The enum is not initialized: how objects lie can be asked without
  /// running anybody's code.
  static Set<Integer> all(Class<?> type) {
    return namesOf(type).map(EnumCodes::code).collect(Collectors.toUnmodifiableSet());
  }

  /// The name of the constant that a code stands for, `null` for 0; null if it stands for none. The
  /// enum is not initialized here either.
  static @Nullable String name(Class<?> type, int code) {
    return code == 0
        ? "null"
        : namesOf(type).filter(name -> code(name) == code).findFirst().orElse(null);
  }

  /// The code of a constant, which is remembered when it is first written. Both bounds are asked
  /// for, as C2 then makes one comparison of them and the array's own.
  int encode(@Nullable Enum<?> constant) {
    if (constant == null) {
      return 0;
    }
    int ordinal = constant.ordinal();
    int code = ordinal >= 0 && ordinal < written.length ? written[ordinal] : 0;
    return code != 0 ? code : encodeFirst(constant);
  }

  private int encodeFirst(Enum<?> constant) {
    int code = code(constant);
    int ordinal = constant.ordinal();
    synchronized (early) {
      if (ordinal < early.length) { // or it was declared as no constant of the enum
        early[ordinal] = constant;
        written[ordinal] = code;
      }
    }
    return code;
  }

  /// The constant that a code stands for. Mostly it is at its first place, or else found by a
  /// method of its own.
  ///
  /// @param reader a class that has a field of the enum
  @Nullable Enum<?> decode(int code, PsoClass reader) {
    int place = firstPlace(code, multiplier, shift);
    if (codes[place] == code) {
      Enum<?> constant = places[place];
      if (constant != null || code == 0) {
        return constant;
      }
    }
    return decodeElsewhere(code, reader);
  }

  private Enum<?> decodeElsewhere(int code, PsoClass reader) {
    int place = place(code);
    if (codes[place] == 0) {
      throw new UnknownConstantException(
          "%08x is the code of no constant of %s, which has %s: the program that wrote it knew another"
                  .formatted(code, type.getName(), namesOf(type).toList())
              + " version of the enum, or the bytes are damaged");
    }
    if (places[place] == null) {
      fill();
    }
    Enum<?> constant = places[place];
    return constant != null ? constant : decodeEarly(code, reader);
  }

  /// Puts all constants into their places, unless this thread is about to make them. Not under a
  /// lock: another thread may make them, and use objects.
  private void fill() {
    Enum<?>[] constants = (Enum<?>[]) type.getEnumConstants();
    if (constants == null) {
      return;
    }
    // Whoever finds a constant in its place finds its fields as they were set when it was made. The
    // partner is that it is loaded before they are, as for Pso.publish. No jcstress test fails
    // without this: x86-64 does not put stores in another order.
    VarHandle.storeStoreFence();
    for (Enum<?> constant : constants) {
      int code = code(constant);
      int place = place(code);
      if (codes[place] == code) {
        places[place] = constant;
      }
    }
  }

  /// A constant of the enum that this thread initializes.
  private Enum<?> decodeEarly(int code, PsoClass reader) {
    synchronized (early) {
      for (Enum<?> constant : early) {
        if (constant != null && code(constant) == code) {
          return constant;
        }
      }
    }
    String name = String.valueOf(name(type, code));
    Enum<?> made = reader.constant(type, name);
    if (made == null) {
      throw new IllegalStateException(
          "%s.%s is stored here, and not made yet: read it when the constructors of the constants have returned"
              .formatted(type.getName(), name));
    }
    return made;
  }

  /// Returns the enum's name, for listings.
  @Override
  public String toString() {
    return type.getName();
  }
}
