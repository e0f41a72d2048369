package dev.tigris.cli.layout;

import dev.tigris.cli.layout.StoredTypes.Fingerprints;
import dev.tigris.memory.Container;
import dev.tigris.memory.FieldKind;
import dev.tigris.memory.Primitive;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoField;
import dev.tigris.memory.PsoLayout;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Layouts as maps and lists, for JSON.
public final class LayoutFacts {
  private LayoutFacts() {}

  /// Returns the members `containerHeaderBytes`, `classes`, `fingerprints` and `enums`.
  public static Map<String, Object> of(StoredTypes types) {
    var facts = new LinkedHashMap<String, Object>();
    facts.put("containerHeaderBytes", Container.HEADER_BYTES);
    facts.put("classes", types.layouts().stream().map(LayoutFacts::of).toList());
    var fingerprints = new LinkedHashMap<String, Object>();
    types.named().forEach((type, found) -> fingerprints.put(type.getName(), of(found)));
    facts.put("fingerprints", fingerprints);
    var enums = new LinkedHashMap<String, Object>();
    types.enums().forEach(found -> enums.put(found.type().getName(), found.codes()));
    facts.put("enums", enums);
    return facts;
  }

  private static Map<String, Object> of(Fingerprints fingerprints) {
    var facts = new LinkedHashMap<String, Object>();
    fingerprints.byRoot().forEach((root, number) -> facts.put(root, "%016x".formatted(number)));
    return facts;
  }

  private static Map<String, Object> of(PsoLayout layout) {
    List<Map<String, Object>> fields = layout.fields().stream().map(LayoutFacts::of).toList();
    var facts = new LinkedHashMap<String, Object>();
    facts.put("name", layout.type().getName());
    facts.put("bytes", layout.sizeBytes());
    facts.put("fields", fields);
    return facts;
  }

  private static Map<String, Object> of(PsoField field) {
    var facts = new LinkedHashMap<String, Object>();
    facts.put("name", field.name());
    facts.put("declaredBy", field.declaringClass().getName());
    facts.put("offset", field.offset());
    facts.put("bytes", field.kind().sizeBytes());
    facts.put("volatile", field.ordered());
    switch (field.kind()) {
      case FieldKind.Value(Primitive primitive) -> kind(facts, "value", primitive.type());
      case FieldKind.Constant(Class<? extends Enum<?>> type) -> kind(facts, "enum", type);
      case FieldKind.Reference(Class<? extends Pso> target, var element) -> {
        kind(facts, "reference", target);
        if (element != null) {
          facts.put("element", element.getName());
        }
      }
      case FieldKind.Text(int capacityBytes) -> {
        facts.put("kind", "text");
        facts.put("capacity", capacityBytes);
      }
      case FieldKind.Array(Primitive element, int length) -> {
        kind(facts, "array", element.type());
        facts.put("capacity", length);
      }
      case FieldKind.Nested(Class<? extends Pso> type, int _) -> kind(facts, "object", type);
    }
    return facts;
  }

  private static void kind(Map<String, Object> facts, String kind, Class<?> type) {
    facts.put("kind", kind);
    facts.put("type", type.getName());
  }
}
