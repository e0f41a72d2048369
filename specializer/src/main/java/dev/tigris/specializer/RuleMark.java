package dev.tigris.specializer;

import java.lang.classfile.AttributeMapper;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.BufWriter;
import java.lang.classfile.ClassFile.AttributeMapperOption;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassReader;
import java.lang.classfile.CustomAttribute;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The mark on a class that was rewritten: the rules of modules that were there, which are not
/// asked about it again, and which of them have changed it.
///
/// ```text
///   an attribute of the class:
///
///   u2  attribute_name_index     "dev.tigris.Rules"
///   u4  attribute_length
///   u1[] rules                   in UTF-8, sorted, a line each: the rule's class, a blank and its
///                                name, and before these a + if it has changed the class
/// ```
///
/// It names no constants, so that tools that don't know it can keep it as it is.
final class RuleMark extends CustomAttribute<RuleMark> {
  private static final String NAME = "dev.tigris.Rules";
  private static final AttributeMapper<RuleMark> MAPPER = new Mapper();
  private static final String CHANGED = "+";

  /// For who reads marks.
  static final AttributeMapperOption OPTION =
      AttributeMapperOption.of(name -> name.equalsString(NAME) ? MAPPER : null);

  /// Whether each rule has changed the class.
  private final Map<String, Boolean> rules;

  private RuleMark(Map<String, Boolean> rules) {
    super(MAPPER);
    this.rules = rules;
  }

  /// The mark of a class, which is read with [#OPTION]; one without rules if it has none.
  static RuleMark on(ClassModel type) {
    return type.findAttribute(MAPPER).orElseGet(() -> new RuleMark(Map.of()));
  }

  /// The mark with more rules.
  ///
  /// @param asked those of a list, of which own ones are not marked
  /// @param changing the names of those that change the class
  RuleMark with(Collection<Rule> asked, Collection<String> changing) {
    Map<String, Boolean> all = new TreeMap<>(rules);
    for (Rule rule : asked) {
      if (!(rule instanceof OwnRule)) {
        all.merge(line(rule), changing.contains(rule.name()), Boolean::logicalOr);
      }
    }
    return new RuleMark(all);
  }

  boolean isEmpty() {
    return rules.isEmpty();
  }

  /// Whether a rule was there.
  boolean has(Rule rule) {
    return rules.containsKey(line(rule));
  }

  /// Whether a rule has changed the class.
  boolean isChangedBy(Rule rule) {
    return rules.getOrDefault(line(rule), false);
  }

  /// Modules may have rules of the same name.
  private static String line(Rule rule) {
    return rule.getClass().getName() + " " + rule.name().replaceAll("\\R", " ");
  }

  private byte[] bytes() {
    List<String> lines = new ArrayList<>();
    rules.forEach((rule, changed) -> lines.add((changed ? CHANGED : "") + rule));
    return String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
  }

  private static RuleMark parse(byte[] bytes) {
    Map<String, Boolean> rules = new TreeMap<>();
    new String(bytes, StandardCharsets.UTF_8)
        .lines()
        .forEach(
            line -> {
              boolean changed = line.startsWith(CHANGED);
              rules.put(changed ? line.substring(CHANGED.length()) : line, changed);
            });
    return new RuleMark(rules);
  }

  private static final class Mapper implements AttributeMapper<RuleMark> {
    @Override
    public String name() {
      return NAME;
    }

    @Override
    public RuleMark readAttribute(AttributedElement enclosing, ClassReader reader, int at) {
      return parse(reader.readBytes(at, reader.readInt(at - Integer.BYTES)));
    }

    @Override
    public void writeAttribute(BufWriter out, RuleMark mark) {
      byte[] bytes = mark.bytes();
      out.writeIndex(out.constantPool().utf8Entry(NAME));
      out.writeInt(bytes.length);
      out.writeBytes(bytes);
    }

    @Override
    public AttributeStability stability() {
      return AttributeStability.STATELESS;
    }
  }
}
