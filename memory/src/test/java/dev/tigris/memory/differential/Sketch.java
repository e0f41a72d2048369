package dev.tigris.memory.differential;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;

/// A program in outline: classes of objects, and statements that use them. [SketchSource] makes
/// Java source of it.
///
/// Every sketch means something: a number that is too large for what it counts is taken modulo, and
/// a statement whose field does not suit it becomes a simpler one. So a sketch can be made smaller
/// in any way, and what is left of one that failed is short.
record Sketch(List<Structure> types, List<Statement> statements) {
  /// The objects that statements work on. The first is of the first class, and so on in turn.
  static final int OBJECTS = 4;

  /// A class.
  ///
  /// @param parent 0 for Pso, or one more than the number of an earlier class
  /// @param work what its method does
  record Structure(int parent, List<Member> members, List<Statement> work) {}

  /// A field.
  ///
  /// @param access the index of a modifier
  /// @param target the number of a class, for what refers to one
  record Member(Kind kind, boolean ordered, int access, int target) {}

  /// What fields there are.
  enum Kind {
    BOOLEAN,
    BYTE,
    SHORT,
    CHAR,
    INT,
    LONG,
    FLOAT,
    DOUBLE,
    SIDE,
    REFERENCE,
    TEXT,
    INTS,
    NESTED,
    NOTE,
    STATIC;

    boolean isNumber() {
      return EnumSet.range(BYTE, DOUBLE).contains(this) || this == STATIC;
    }

    /// Whether it lies in the object, and is never assigned.
    boolean isPart() {
      return this == TEXT || this == INTS || this == NESTED;
    }

    /// Whether other programs find it in the container.
    boolean isStored() {
      return this != NOTE && this != STATIC;
    }

    String type() {
      return switch (this) {
        case SIDE -> "Side";
        case TEXT -> "Utf8";
        case INTS -> "Ints";
        case NOTE -> "String";
        case STATIC -> "long";
        default -> name().toLowerCase(Locale.ROOT);
      };
    }
  }

  /// A statement on a field of an object.
  ///
  /// @param value tells it from others of its shape
  /// @param body empty if the shape has none
  record Statement(Shape shape, int object, int field, int value, List<Statement> body) {}

  /// What statements there are: those without a body, then those with one.
  enum Shape {
    READ,
    WRITE,
    UPDATE,
    STEP,
    CONCATENATE,
    FOLLOW,
    ELEMENT,
    RECORD,
    METHOD,
    INTERFACE,
    INNER,
    REFER,
    DIVIDE,
    FAIL,
    CHOOSE,
    IF,
    LOOP,
    TRY,
    SYNCHRONIZED,
    LAMBDA,
    ANONYMOUS,
    TABLE_SWITCH,
    LOOKUP_SWITCH,
    STRING_SWITCH,
    ENUM_SWITCH,
    PATTERN_SWITCH;

    boolean hasBody() {
      return EnumSet.range(IF, PATTERN_SWITCH).contains(this);
    }
  }
}
