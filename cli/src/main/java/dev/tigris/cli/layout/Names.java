package dev.tigris.cli.layout;

import dev.tigris.memory.FieldKind;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoArray;
import dev.tigris.memory.PsoField;
import dev.tigris.memory.PsoLayout;
import dev.tigris.memory.PsoList;
import dev.tigris.memory.PsoTable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// Names for other languages, in which Java's are no identifiers, or taken: each name given out is
/// an identifier of C, C++ and Python, and is given out once.
final class Names {
  /// What C, C++ or Python, or the usual macros of their compilers and headers, keep for themselves
  /// and Java does not.
  private static final Set<String> RESERVED =
      Set.of(
          ("alignas alignof and and_eq asm as async auto await bitand bitor bool co_await co_return"
                  + " co_yield compl concept consteval constexpr constinit const_cast decltype def"
                  + " del delete dynamic_cast elif errno except explicit export extern friend from"
                  + " global in inline is lambda linux mutable namespace noexcept nonlocal not not_eq"
                  + " nullptr operator or or_eq pass raise register reinterpret_cast requires"
                  + " restrict signed sizeof static_assert static_cast struct template thread_local"
                  + " typedef typeid typename typeof union unix unsigned using virtual wchar_t with"
                  + " xor xor_eq yield False None NULL True EOF char8_t char16_t char32_t numpy"
                  + " typeof_unqual _Alignas _Alignof _Atomic _BitInt _Bool _Complex _Generic"
                  + " _Imaginary _Noreturn _Static_assert _Thread_local complex imaginary I"
                  + " _Complex_I _Imaginary_I INFINITY NAN stdin stdout stderr")
              .split(" "));

  /// The types and limits of the headers that ours includes, and what compilers define.
  private static final Pattern STANDARD =
      Pattern.compile(
          "u?int\\w*_t|(size|ptrdiff|max_align)_t|__\\w*[A-Za-z0-9]__"
              + "|(U?INT|SIZE|PTRDIFF|SIG_ATOMIC|WCHAR|WINT)\\w*_(MIN|MAX|C|WIDTH)");

  private final Map<Class<?>, String> types = new HashMap<>();
  private final Set<String> taken = new HashSet<>(RESERVED);

  Names() {
    types.put(PsoArray.class, "tigris_array");
    types.put(PsoList.class, "tigris_list");
    types.put(PsoTable.class, "tigris_table");
    taken.addAll(types.values());
    taken.add("tigris_container");
  }

  /// Returns the name of a class, which is the same each time.
  String type(Class<?> type) {
    return types.computeIfAbsent(type, key -> take(identifier(key.getName()), taken));
  }

  /// Returns the name of a constant of the enum that has been given this name.
  String constant(String type, String constant) {
    return take(type + "_" + identifier(constant), taken);
  }

  /// Returns the name of the fingerprint of containers whose root is an `object`, `list` or `table`
  /// of a class.
  String fingerprint(Class<?> type, String root) {
    String which = root.equals("object") ? "" : "_" + root.toUpperCase(Locale.ROOT);
    return take(type(type) + which + "_FINGERPRINT", taken);
  }

  /// Returns the names of the fields of one class. One that hides a field of a superclass carries
  /// its class's name as well. None is that of a type that is named in the same struct, which C++
  /// takes for another meaning of it.
  Map<PsoField, String> fields(PsoLayout layout) {
    var names = new LinkedHashMap<PsoField, String>();
    var used = new HashSet<>(RESERVED);
    used.add(type(layout.type()));
    for (PsoField field : layout.fields()) {
      if (field.kind() instanceof FieldKind.Nested(Class<? extends Pso> inner, int _)) {
        used.add(type(inner));
      }
    }
    for (PsoField field : layout.fields()) {
      String name = identifier(field.name());
      boolean hides = names.containsValue(name);
      String full = take(hides ? name + "_" + simpleName(field.declaringClass()) : name, used);
      // In C, a text is two members.
      while (field.kind() instanceof FieldKind.Text && !used.add(full + "_length")) {
        full = take(full, used);
      }
      names.put(field, full);
    }
    return names;
  }

  /// Not [Class#getSimpleName], which looks for the class around it: nothing is loaded any more.
  private static String simpleName(Class<?> type) {
    String name = type.getName();
    return identifier(name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1));
  }

  private static String take(String wanted, Set<String> taken) {
    String name = wanted;
    while (STANDARD.matcher(name).matches() || !taken.add(name)) {
      name += "_";
    }
    return name;
  }

  /// Returns a name with everything replaced that is no letter or digit of ASCII.
  private static String identifier(String javaName) {
    var name = new StringBuilder();
    for (int i = 0; i < javaName.length(); i++) {
      char unit = javaName.charAt(i);
      boolean letter = unit < 0x80 && Character.isLetterOrDigit(unit);
      if (letter) {
        name.append(unit);
      } else if (unit == '.' || unit == '$' || unit == '_') {
        name.append('_');
      } else {
        name.append("u%04x".formatted((int) unit));
      }
    }
    return name.toString();
  }
}
