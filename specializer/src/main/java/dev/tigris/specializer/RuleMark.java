package dev.tigris.specializer;

import java.lang.classfile.AttributeMapper;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.BufWriter;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassReader;
import java.lang.classfile.CustomAttribute;
import java.lang.classfile.attribute.UnknownAttribute;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/// The mark on a class that was rewritten: the rules that were asked about it, and are not asked
/// again.
///
/// ```text
///   an attribute of the class:
///
///   u2  attribute_name_index     "dev.tigris.Rules"
///   u4  attribute_length
///   u1[] names                   in UTF-8, sorted, a line each
/// ```
///
/// It names no constants, so that tools that don't know it can keep it as it is.
final class RuleMark extends CustomAttribute<RuleMark> {
  private static final String NAME = "dev.tigris.Rules";
  private static final AttributeMapper<RuleMark> MAPPER = new Mapper();

  private final byte[] names;

  private RuleMark(byte[] names) {
    super(MAPPER);
    this.names = names;
  }

  /// A mark for rules.
  static RuleMark of(Collection<String> rules) {
    String lines = String.join("\n", new TreeSet<>(rules));
    return new RuleMark(lines.getBytes(StandardCharsets.UTF_8));
  }

  /// The rules that a class is marked with.
  static Set<String> on(ClassModel type) {
    Set<String> rules = new TreeSet<>();
    for (var attribute : type.attributes()) {
      if (attribute instanceof UnknownAttribute found && isMark(found)) {
        new String(found.contents(), StandardCharsets.UTF_8).lines().forEach(rules::add);
      }
    }
    return rules;
  }

  /// Whether a part of a class that was read is a mark.
  static boolean isMark(ClassElement element) {
    return element instanceof UnknownAttribute attribute
        && attribute.attributeName().equalsString(NAME);
  }

  private static final class Mapper implements AttributeMapper<RuleMark> {
    @Override
    public String name() {
      return NAME;
    }

    @Override
    public RuleMark readAttribute(AttributedElement enclosing, ClassReader reader, int at) {
      // attribute_length stands right before what the attribute says
      return new RuleMark(reader.readBytes(at, reader.readInt(at - Integer.BYTES)));
    }

    @Override
    public void writeAttribute(BufWriter out, RuleMark mark) {
      out.writeIndex(out.constantPool().utf8Entry(NAME));
      out.writeInt(mark.names.length);
      out.writeBytes(mark.names);
    }

    @Override
    public AttributeStability stability() {
      return AttributeStability.STATELESS;
    }
  }
}
