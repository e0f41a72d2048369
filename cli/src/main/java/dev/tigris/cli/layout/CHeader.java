package dev.tigris.cli.layout;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tigris.cli.layout.StoredTypes.Fingerprints;
import dev.tigris.cli.layout.StoredTypes.StoredEnum;
import dev.tigris.memory.FieldKind;
import dev.tigris.memory.Primitive;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoArray;
import dev.tigris.memory.PsoField;
import dev.tigris.memory.PsoLayout;
import dev.tigris.memory.PsoList;
import dev.tigris.memory.PsoTable;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;

/// Layouts as a header for C11 and C++11.
///
/// Padding is spelled out, and each offset and size is asserted, so that a compiler that would lay
/// a struct out in another way refuses it. Each definition has a guard of its own: several headers
/// that have classes in common can be included together, if they read the same in all of them.
public final class CHeader {
  private static final String CONTAINER =
      """
      #ifndef TIGRIS_CONTAINER
      #define TIGRIS_CONTAINER
      #define TIGRIS_MAGIC "TIGRISC1"
      #define TIGRIS_VERSION 1
      #define TIGRIS_VERSION_GROWN 2  /* a table has grown: it does not lie in one piece */

      /* What a container begins with. */
      typedef struct tigris_container {
        char magic[8];
        uint32_t version;
        uint32_t reserved;
        uint64_t fingerprint;      /* of the schema, 0 = not stated */
        uint64_t used;             /* bytes, this header included; a multiple of 8 */
        uint64_t root;             /* offset of the root object, 0 = none */
        uint64_t schema;           /* offset of the schema, 0 = not stated */
        uint8_t reserved_to_64[16];
      } tigris_container;
      static_assert(sizeof(tigris_container) == 64, "size of tigris_container");

      /* The container in `bytes` bytes, or NULL if they are none. */
      static inline tigris_container *tigris_open(void *memory, uint64_t bytes) {
        tigris_container *container = (tigris_container *)memory;
        return bytes >= sizeof *container && memcmp(container->magic, TIGRIS_MAGIC, 8) == 0 &&
                       container->version == TIGRIS_VERSION && container->used <= bytes
                   ? container
                   : NULL;
      }

      /* The same, for a program that reaches the elements of tables by tigris_element only: those of
         a table that has grown do not lie one after the other. */
      static inline tigris_container *tigris_open_grown(void *memory, uint64_t bytes) {
        tigris_container *container = (tigris_container *)memory;
        return bytes >= sizeof *container && memcmp(container->magic, TIGRIS_MAGIC, 8) == 0 &&
                       (container->version == TIGRIS_VERSION ||
                        container->version == TIGRIS_VERSION_GROWN) &&
                       container->used <= bytes
                   ? container
                   : NULL;
      }

      /* What lies at an offset of a container of `bytes` bytes, or NULL where nothing of `size`
         bytes can be: always compare offsets and counts with what the container can hold. */
      static inline void *tigris_at(tigris_container *container, uint64_t bytes, uint64_t offset,
                                    uint64_t size) {
        return offset >= sizeof *container && offset % 8 == 0 && size <= bytes &&
                       offset <= bytes - size
                   ? (char *)container + offset
                   : NULL;
      }

      /* The `count` elements of `size` bytes of the array, list or table at an offset, or NULL
         where so many cannot be. */
      static inline void *tigris_elements(tigris_container *container, uint64_t bytes,
                                          uint64_t offset, uint64_t count, uint64_t size) {
        void *at = count <= bytes / size ? tigris_at(container, bytes, offset, 16 + count * size)
                                         : NULL;
        return at == NULL ? NULL : (char *)at + 16;
      }

      /* A part of a table behind its first one; 32 bytes before its elements. The capacity of a table
         that has grown is the offset of the first of them, below zero. */
      typedef struct tigris_segment {
        uint64_t first;            /* index of its first element in the table */
        uint64_t capacity;         /* in elements */
        uint64_t next;             /* offset of the next part, 0 = none */
        uint64_t reserved;
      } tigris_segment;

      /* The element of `size` bytes at an index of the table at an offset, or NULL where none is. */
      static inline void *tigris_element(tigris_container *container, uint64_t bytes,
                                         uint64_t offset, uint64_t index, uint64_t size) {
        uint64_t *table = (uint64_t *)tigris_at(container, bytes, offset, 16);
        if (table == NULL || index >= table[0]) return NULL;
        uint64_t first = 0, count = table[1], next = 0, header = 16;
        if (count >> 63) {
          next = 0 - count;
          tigris_segment *segment =
              (tigris_segment *)tigris_at(container, bytes, next, sizeof *segment);
          if (segment == NULL) return NULL;
          count = segment->first;
        }
        while (index - first >= count) {
          tigris_segment *segment =
              (tigris_segment *)tigris_at(container, bytes, next, sizeof *segment);
          if (segment == NULL || segment->first != first + count || segment->capacity == 0) {
            return NULL;
          }
          offset = next;
          header = sizeof *segment;
          first = segment->first;
          count = segment->capacity;
          next = segment->next;
        }
        index -= first;
        if (index >= bytes / size) return NULL;
        char *part = (char *)tigris_at(container, bytes, offset, header + (index + 1) * size);
        return part == NULL ? NULL : part + header + index * size;
      }

      /* The length of a text, within its capacity. */
      static inline uint32_t tigris_length(uint32_t length, size_t capacity) {
        return length <= capacity ? length : (uint32_t)capacity;
      }
      #endif
      """;

  private final StoredTypes types;
  private final Names names = new Names();
  private final StringBuilder out = new StringBuilder();

  private CHeader(StoredTypes types) {
    this.types = types;
  }

  /// Returns the header's text.
  public static String of(StoredTypes types) {
    var header = new CHeader(types);
    header.write();
    return header.out.toString();
  }

  private void write() {
    out.append(
        """
        /* Printed by: tigris layout --c %s
           Objects in a container, in C11 or C++11. Numbers are little-endian. */
        #include <assert.h>
        #include <stddef.h>
        #include <stdint.h>
        #include <string.h>

        #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
        #error "objects in a container are little-endian"
        #endif

        """
            .formatted(types.heading()));
    out.append(CONTAINER);
    types.enums().forEach(this::write);
    types.layoutsForPrograms().forEach(this::write);
  }

  /// Adds what several headers of one program may declare, which has to be the same in all of them.
  private void once(String name, String declaration) {
    CRC32 sum = new CRC32();
    sum.update(declaration.getBytes(UTF_8));
    out.append(
        """

        #ifndef TIGRIS_TYPE_%1$s
        #define TIGRIS_TYPE_%1$s 0x%2$08x
        %3$s#elif TIGRIS_TYPE_%1$s != 0x%2$08x
        #error "another header has another %1$s: print both anew, by one run of tigris layout"
        #endif
        """
            .formatted(name, sum.getValue(), declaration));
  }

  private void write(StoredEnum constants) {
    String name = names.type(constants.type());
    var text =
        new StringBuilder("/* %s: 0 is null. */\nenum {\n".formatted(constants.type().getName()));
    constants
        .codes()
        .forEach(
            (constant, code) -> {
              // The literal -2147483648 would be of a larger type.
              String value = code == Integer.MIN_VALUE ? "-2147483647 - 1" : code.toString();
              text.append("  %s = %s,\n".formatted(names.constant(name, constant), value));
            });
    once(name, text.append("};\n").toString());
  }

  private void write(PsoLayout layout) {
    String name = names.type(layout.type());
    var text = new StringBuilder();
    text.append("/* %s%s. */\n".formatted(layout.type().getName(), whatFollows(layout.type())));
    text.append("typedef struct ").append(name).append(" {\n");
    Map<PsoField, String> fields = names.fields(layout);
    Set<String> used = new HashSet<>(fields.values());
    var asserts = new StringBuilder();
    int end = 0;
    for (var entry : fields.entrySet()) {
      PsoField field = entry.getKey();
      text.append(padding(end, field.offset(), used));
      text.append(member(field, entry.getValue(), used));
      asserts.append(
          "static_assert(offsetof(%s, %s) == %d, \"offset of %s\");\n"
              .formatted(name, firstMember(field, entry.getValue()), field.offset(), field.name()));
      end = field.offset() + field.kind().sizeBytes();
    }
    text.append(padding(end, layout.sizeBytes(), used));
    text.append("} ").append(name).append(";\n").append(asserts);
    text.append(
        "static_assert(sizeof(%s) == %d, \"size of %s\");\n"
            .formatted(name, layout.sizeBytes(), name));
    once(name, text.toString());
    fingerprints(layout.type());
  }

  private void fingerprints(Class<?> type) {
    Fingerprints found = types.named().get(type);
    if (found != null) {
      out.append(
          "/* What a container states whose root is an object, list or table of these. */\n");
      found
          .byRoot()
          .forEach(
              (root, number) ->
                  out.append(
                      "#define %s UINT64_C(0x%016x)\n"
                          .formatted(names.fingerprint(type, root), number)));
    }
  }

  private static String whatFollows(Class<?> type) {
    if (type == PsoArray.class) {
      return ": `letter` is B S C I J F or D; `length` elements of that type follow";
    }
    if (type == PsoList.class) {
      return ": `capacity` offsets of 8 bytes follow, the first `size` of them in use; 0 is null";
    }
    return type == PsoTable.class
        ? ": room for `capacity` objects follows, the first `size` of them in use"
        : "";
  }

  private static String padding(int from, int to, Set<String> used) {
    if (to == from) {
      return "";
    }
    String name = "padding" + from;
    while (!used.add(name)) {
      name += "_";
    }
    return "  uint8_t %s[%d];\n".formatted(name, to - from);
  }

  /// Text is two members and no struct, whose size a compiler would round up.
  private static String firstMember(PsoField field, String name) {
    return field.kind() instanceof FieldKind.Text ? name + "_length" : name;
  }

  private String member(PsoField field, String name, Set<String> used) {
    String declaration =
        switch (field.kind()) {
          case FieldKind.Value(Primitive primitive) -> type(primitive) + " " + name;
          case FieldKind.Constant _ -> "int32_t " + name;
          case FieldKind.Reference _ -> "uint64_t " + name;
          case FieldKind.Text(int capacityBytes) -> {
            used.add(name + "_length");
            yield "uint32_t %s_length;\n  char %s[%d]".formatted(name, name, capacityBytes);
          }
          case FieldKind.Array(Primitive element, int length) ->
              "%s %s[%d]".formatted(type(element), name, length);
          case FieldKind.Nested(Class<? extends Pso> type, int _) -> names.type(type) + " " + name;
        };
    String remark = remark(field);
    return "  " + declaration + ";" + (remark.isEmpty() ? "" : " /* " + remark + " */") + "\n";
  }

  private String remark(PsoField field) {
    String remark =
        switch (field.kind()) {
          case FieldKind.Value(Primitive primitive) when primitive == Primitive.BOOLEAN ->
              "boolean";
          case FieldKind.Value(Primitive primitive) when primitive == Primitive.CHAR -> "UTF-16";
          case FieldKind.Constant(Class<? extends Enum<?>> type) -> "enum " + names.type(type);
          case FieldKind.Reference(Class<? extends Pso> target, var element) ->
              "offset of a %s%s, 0 is null"
                  .formatted(
                      names.type(target), element == null ? "" : " of " + names.type(element));
          case FieldKind.Text _ -> "UTF-8";
          default -> "";
        };
    if (!field.ordered()) {
      return remark;
    }
    return (remark.isEmpty() ? "" : remark + "; ") + "volatile: load acquires, store releases";
  }

  private static String type(Primitive primitive) {
    return switch (primitive) {
      case BOOLEAN -> "uint8_t";
      case CHAR -> "uint16_t";
      case BYTE, SHORT, INT, LONG -> "int%d_t".formatted(8 * primitive.sizeBytes());
      case FLOAT, DOUBLE -> primitive.name().toLowerCase(Locale.ROOT);
    };
  }
}
