package dev.tigris.memory;

import dev.tigris.memory.raw.Raw;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// A [Pso] as text, for debuggers and logs, where its Java fields say nothing:
///
/// ```
/// Trade@64[id=7, side=BUY, symbol="TIG", samples=double[16], origin=Point[x=1], next=Trade@128]
/// ```
///
/// It says what is stored, also where that cannot be: whoever looks at damaged bytes wants to see
/// them. References are not followed, and nothing begins a line of its own in a log.
final class ObjectText {
  /// How long it gets before fields are left out.
  private static final int MAX_CHARS = 1_000;

  private static final int MAX_TEXT_BYTES = 200;

  private final StringBuilder out = new StringBuilder();
  private final long address;

  private ObjectText(long address) {
    this.address = address;
  }

  static String of(Pso object) {
    String name = nameOf(object.getClass());
    if (!object.isConstructed()) {
      return name + " in no container";
    }
    ObjectText text = new ObjectText(object.masked());
    text.out.append(name).append('@').append(object.offset());
    text.fields(PsoClass.of(object.getClass()).layout(), 0);
    Reference.reachabilityFence(object);
    return text.out.toString();
  }

  /// A class's simple name, also where the class around it is missing, which the JDK looks for.
  static String nameOf(Class<?> type) {
    try {
      return type.getSimpleName();
    } catch (LinkageError e) {
      String name = type.getName();
      return name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
    }
  }

  /// @param start where the object lies whose fields they are, behind the first byte of all
  private void fields(PsoLayout layout, int start) {
    out.append('[');
    String separator = "";
    for (PsoField field : layout.fields()) {
      out.append(separator);
      if (out.length() > MAX_CHARS) {
        out.append("...");
        break;
      }
      out.append(field.name()).append('=');
      value(field.kind(), start + field.offset());
      separator = ", ";
    }
    out.append(']');
  }

  private void value(FieldKind kind, int at) {
    switch (kind) {
      case FieldKind.Value(Primitive primitive) -> out.append(shown(peek(primitive, at)));
      case FieldKind.Constant(Class<? extends Enum<?>> type) -> {
        int code = (int) peek(Primitive.INT, at);
        String name = EnumCodes.name(type, code);
        out.append(name == null ? "%08x".formatted(code) : name);
      }
      case FieldKind.Reference(Class<? extends Pso> target, var element) ->
          reference(target, element, (long) peek(Primitive.LONG, at));
      case FieldKind.Text(int capacityBytes) -> text(at, capacityBytes);
      case FieldKind.Array(Primitive element, int length) ->
          out.append(element.type().getName()).append('[').append(length).append(']');
      case FieldKind.Nested(Class<? extends Pso> type, int _) -> {
        out.append(nameOf(type));
        fields(PsoClass.of(type).layout(), at);
      }
    }
  }

  private Object peek(Primitive primitive, int at) {
    return RecipeInterpreter.peek(primitive, address + at, true);
  }

  private static Object shown(Object value) {
    return value instanceof Character unit && Character.isISOControl(unit)
        ? "\\u%04x".formatted((int) unit)
        : value;
  }

  private void reference(
      Class<? extends Pso> target, @Nullable Class<? extends Pso> element, long offset) {
    if (offset == 0) {
      out.append("null");
      return;
    }
    out.append(nameOf(target));
    if (element != null) {
      out.append('<').append(nameOf(element)).append('>');
    }
    out.append('@').append(offset);
  }

  private void text(int at, int capacityBytes) {
    int length = (int) peek(Primitive.INT, at);
    if (length < 0 || length > capacityBytes) {
      out.append("text of ").append(Integer.toUnsignedLong(length)).append(" bytes");
      return;
    }
    int shown = Math.min(length, MAX_TEXT_BYTES);
    byte[] bytes = Raw.range(address + at + Integer.BYTES, shown).toArray(ValueLayout.JAVA_BYTE);
    String text = new String(bytes, StandardCharsets.UTF_8).replaceAll("\\p{Cc}", "?");
    out.append('"').append(text).append(shown < length ? "...\"" : "\"");
  }
}
