package dev.tigris.cli.layout;

import dev.tigris.cli.layout.StoredTypes.Fingerprints;
import dev.tigris.memory.FieldKind;
import dev.tigris.memory.Primitive;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoField;
import dev.tigris.memory.PsoLayout;
import java.util.LinkedHashMap;
import java.util.Map;

/// Layouts as NumPy's dtypes, in a module of Python: offsets and item sizes are explicit.
public final class NumpyTypes {
  private static final String CONTAINER =
      """

      # What a container begins with; `magic` is b"TIGRISC1", `root` an offset, 0 = none.
      tigris_container = numpy.dtype({
          "names": ["magic", "version", "fingerprint", "used", "root", "schema"],
          "formats": ["S8", "<u4", "<u8", "<u8", "<u8", "<u8"],
          "offsets": [0, 8, 16, 24, 32, 40],
          "itemsize": 64,
      })

      # A part of a table behind its first one, before its elements. The capacity of a table that has
      # grown (`version` is 2) is the offset of the first such part, below zero.
      tigris_segment = numpy.dtype({
          "names": ["first", "capacity", "next"],
          "formats": ["<u8", "<u8", "<u8"],
          "offsets": [0, 8, 16],
          "itemsize": 32,
      })
      """;

  private NumpyTypes() {}

  /// Returns the module's text.
  public static String of(StoredTypes types) {
    var names = new Names();
    var out = new StringBuilder();
    out.append(
        """
        # Printed by: tigris layout --numpy %s
        # Objects in a container as NumPy's dtypes: numpy.frombuffer(file, TYPE, count, offset).
        # A reference is an offset from the container's first byte, and 0 is null; a text is a
        # length and its bytes; an enum is the number that its dictionary has for the name.
        import numpy
        """
            .formatted(types.heading()));
    out.append(CONTAINER);
    for (var constants : types.enums()) {
      out.append("\n%s = {\n".formatted(names.type(constants.type())));
      constants
          .codes()
          .forEach((name, code) -> out.append("    \"%s\": %d,\n".formatted(name, code)));
      out.append("}\n");
    }
    for (PsoLayout layout : types.layoutsForPrograms()) {
      out.append(dtype(layout, names));
      fingerprints(types, layout.type(), names, out);
    }
    return out.toString();
  }

  private static void fingerprints(
      StoredTypes types, Class<?> type, Names names, StringBuilder out) {
    Fingerprints found = types.named().get(type);
    if (found != null) {
      out.append("# What a container states whose root is an object, list or table of these.\n");
      found
          .byRoot()
          .forEach(
              (root, number) ->
                  out.append("%s = 0x%016x\n".formatted(names.fingerprint(type, root), number)));
    }
  }

  private static String dtype(PsoLayout layout, Names names) {
    Map<PsoField, String> fields = new LinkedHashMap<>(names.fields(layout));
    var nameList = new StringBuilder();
    var formats = new StringBuilder();
    var offsets = new StringBuilder();
    fields.forEach(
        (field, name) -> {
          nameList.append("        \"%s\",\n".formatted(name));
          formats.append("        %s,\n".formatted(format(field.kind(), names)));
          offsets.append("        %d,\n".formatted(field.offset()));
        });
    return """

    %s = numpy.dtype({
        "names": [
    %s    ],
        "formats": [
    %s    ],
        "offsets": [
    %s    ],
        "itemsize": %d,
    })
    """
        .formatted(names.type(layout.type()), nameList, formats, offsets, layout.sizeBytes());
  }

  private static String format(FieldKind kind, Names names) {
    return switch (kind) {
      case FieldKind.Value(Primitive primitive) -> "\"" + code(primitive) + "\"";
      case FieldKind.Constant _ -> "\"<i4\"";
      case FieldKind.Reference _ -> "\"<u8\"";
      case FieldKind.Text(int capacityBytes) ->
          "[(\"length\", \"<u4\"), (\"bytes\", \"u1\", (%d,))]".formatted(capacityBytes);
      case FieldKind.Array(Primitive element, int length) ->
          "(\"%s\", (%d,))".formatted(code(element), length);
      case FieldKind.Nested(Class<? extends Pso> type, int _) -> names.type(type);
    };
  }

  private static String code(Primitive primitive) {
    return switch (primitive) {
      case BOOLEAN -> "?";
      case BYTE -> "i1";
      case CHAR -> "<u2";
      case SHORT, INT, LONG -> "<i" + primitive.sizeBytes();
      case FLOAT, DOUBLE -> "<f" + primitive.sizeBytes();
    };
  }
}
