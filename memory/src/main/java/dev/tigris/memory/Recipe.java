package dev.tigris.memory;

import java.lang.invoke.MethodType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// What a call site does, as data: a straight line of typed [instructions][Instruction] over one
/// receiver.
///
/// ```
///   quantity.get (Pso)int        peek int @8
///   quantity.set (Pso,int)void   argument; poke int @8
///   next.get     (Pso)Pso        peek long @16; recover slot 0
///   next.set     (Pso,Pso)void   argument; assign long @16 slot 0
///   side.get     (Pso)Enum       peek int @24; decode Side
///   side.set     (Pso,Enum)void  argument; encode Side; poke int @24
///   symbol.get   (Pso)Utf8       text[12] @28
///   prices.get   (Pso)Ints       array int[3] @44
///   place.get    (Pso)Pso        nested 0 @56
///   version      (Pso)int        peek byte @0; convert byte int; constant int 4; ushr int
/// ```
///
/// All but the last are derived from a class's layout. The last is of a method without a body, to
/// which a restricted rule has given its meaning ([RecipeText], [PsoLinkage#recipe]).
///
/// There are no jumps, so a recipe ends after as many steps as it has instructions. [#verify]
/// proves the rest: every operand has the right type, and every access lies inside of the
/// receiver's declared size and is aligned. What runs it is [RecipeInterpreter], which is the
/// reference, or the code that [RecipeCompiler] makes of it.
///
/// @param name for listings and stack traces
/// @param type `(Pso)T` or `(Pso,T)U`, where what is returned may be `void`
/// @param sizeBytes how many bytes of the receiver may be touched
/// @param slots how many slots for references the receiver has
/// @param nested how many objects lie in the receiver
record Recipe(
    String name, MethodType type, int sizeBytes, int slots, int nested, List<Instruction> body) {
  /// The most instructions that a recipe may have: each stands for a few machine instructions that
  /// are copied to every place where a field is accessed.
  static final int MAX_INSTRUCTIONS = 16;

  private static final Set<Primitive> REVERSIBLE =
      Set.of(Primitive.SHORT, Primitive.CHAR, Primitive.INT, Primitive.LONG);

  Recipe {
    body = List.copyOf(body);
  }

  /// The recipe that reads a field.
  static Recipe get(PsoField field, PsoLayout layout) {
    Instruction.Ordering ordering =
        field.ordered() ? Instruction.Ordering.ACQUIRE : Instruction.Ordering.PLAIN;
    int offset = field.offset();
    List<Instruction> body =
        switch (field.kind()) {
          case FieldKind.Value(Primitive primitive) ->
              List.of(new Instruction.Peek(primitive, offset, ordering));
          case FieldKind.Reference _ ->
              List.of(
                  new Instruction.Peek(Primitive.LONG, offset, ordering),
                  new Instruction.Recover(layout.references().indexOf(field)));
          case FieldKind.Constant(Class<? extends Enum<?>> constants) ->
              List.of(
                  new Instruction.Peek(Primitive.INT, offset, ordering),
                  new Instruction.Decode(
                      EnumCodes.of(constants), PsoClass.of(field.declaringClass())));
          case FieldKind.Text(int capacityBytes) ->
              List.of(new Instruction.Text(offset, capacityBytes));
          case FieldKind.Array(Primitive element, int length) ->
              List.of(new Instruction.Array(element, offset, length));
          case FieldKind.Nested(var _, int bytes) ->
              List.of(new Instruction.Nested(layout.nested().indexOf(field), offset, bytes));
        };
    return of(field, layout, "get", MethodType.methodType(type(field), Pso.class), body);
  }

  /// The recipe that writes a field, which is no part.
  static Recipe set(PsoField field, PsoLayout layout) {
    Instruction.Ordering ordering =
        field.ordered() ? Instruction.Ordering.RELEASE : Instruction.Ordering.PLAIN;
    int offset = field.offset();
    List<Instruction> body = new ArrayList<>();
    body.add(new Instruction.Argument());
    switch (field.kind()) {
      case FieldKind.Value(Primitive primitive) ->
          body.add(new Instruction.Poke(primitive, offset, ordering));
      case FieldKind.Reference _ ->
          body.add(new Instruction.Assign(layout.references().indexOf(field), offset, ordering));
      case FieldKind.Constant(Class<? extends Enum<?>> constants) -> {
        body.add(new Instruction.Encode(EnumCodes.of(constants)));
        body.add(new Instruction.Poke(Primitive.INT, offset, ordering));
      }
      case FieldKind.Text _, FieldKind.Array _, FieldKind.Nested _ ->
          throw new IllegalArgumentException(field + " cannot be assigned");
    }
    MethodType type = MethodType.methodType(void.class, Pso.class, type(field));
    return of(field, layout, "set", type, body);
  }

  private static Recipe of(
      PsoField field, PsoLayout layout, String verb, MethodType type, List<Instruction> body) {
    String name = field.name() + "." + verb;
    int slots = layout.references().size();
    return new Recipe(name, type, layout.sizeBytes(), slots, layout.nested().size(), body);
  }

  private static Class<?> type(PsoField field) {
    return switch (field.kind()) {
      case FieldKind.Value(Primitive primitive) -> primitive.type();
      case FieldKind.Reference _, FieldKind.Nested _ -> Pso.class;
      case FieldKind.Constant _ -> Enum.class;
      case FieldKind.Text _ -> Utf8.class;
      case FieldKind.Array(Primitive element, int _) -> View.of(element);
    };
  }

  /// Proves that the recipe is safe to run on any receiver of its declared size.
  ///
  /// @throws IllegalArgumentException saying what is wrong with it
  void verify() {
    require(
        type.parameterCount() >= 1 && type.parameterCount() <= 2, "takes a receiver and a value");
    require(type.parameterType(0) == Pso.class, "the receiver is a Pso");
    require(sizeBytes > 0 && sizeBytes <= PsoLayout.MAX_BYTES, "its size is out of bounds");
    require(body.size() <= MAX_INSTRUCTIONS, "it is too long");
    Deque<Class<?>> stack = new ArrayDeque<>();
    for (Instruction instruction : body) {
      step(instruction, stack);
    }
    if (type.returnType() != void.class) {
      pop(stack, type.returnType());
    }
    require(stack.isEmpty(), "values are left over");
  }

  private void step(Instruction instruction, Deque<Class<?>> stack) {
    switch (instruction) {
      case Instruction.Argument() -> {
        require(type.parameterCount() == 2, "there is no argument");
        stack.push(type.parameterType(1));
      }
      case Instruction.Peek(Primitive primitive, int offset, Instruction.Ordering ordering) -> {
        requireInside(primitive, offset);
        require(ordering != Instruction.Ordering.RELEASE, "a read cannot release");
        stack.push(primitive.type());
      }
      case Instruction.Poke(Primitive primitive, int offset, Instruction.Ordering ordering) -> {
        requireInside(primitive, offset);
        require(ordering != Instruction.Ordering.ACQUIRE, "a write cannot acquire");
        pop(stack, primitive.type());
      }
      case Instruction.Recover(int slot) -> {
        requireSlot(slot);
        pop(stack, long.class);
        stack.push(Pso.class);
      }
      case Instruction.Assign(int slot, int offset, Instruction.Ordering ordering) -> {
        requireSlot(slot);
        requireInside(Primitive.LONG, offset);
        require(ordering != Instruction.Ordering.ACQUIRE, "a write cannot acquire");
        pop(stack, Pso.class);
      }
      case Instruction.Decode _ -> {
        pop(stack, int.class);
        stack.push(Enum.class);
      }
      case Instruction.Encode _ -> {
        pop(stack, Enum.class);
        stack.push(int.class);
      }
      case Instruction.Text(int offset, int capacityBytes) -> {
        require(capacityBytes >= 0, "a text has room");
        requireInside(Integer.BYTES, Integer.BYTES + (long) capacityBytes, offset);
        stack.push(Utf8.class);
      }
      case Instruction.Array array -> {
        require(array.element() != Primitive.BOOLEAN, "there is no view of booleans");
        require(array.length() >= 0, "an array has a length");
        requireInside(array.element().sizeBytes(), array.sizeBytes(), array.offset());
        stack.push(View.of(array.element()));
      }
      case Instruction.Nested(int index, int offset, int bytes) -> {
        require(index >= 0 && index < nested, "there is no object " + index + " in place");
        requireInside(Long.BYTES, bytes, offset);
        stack.push(Pso.class);
      }
      case Instruction.Constant _,
          Instruction.Compute _,
          Instruction.Convert _,
          Instruction.Reverse _,
          Instruction.Reinterpret _ ->
          compute(instruction, stack);
    }
  }

  /// A step that touches neither the receiver nor memory.
  private void compute(Instruction instruction, Deque<Class<?>> stack) {
    switch (instruction) {
      case Instruction.Constant(Primitive primitive, Object value) -> {
        require(box(primitive) == value.getClass(), value + " is no " + primitive.type());
        stack.push(primitive.type());
      }
      case Instruction.Compute(Instruction.Operator operator, Primitive primitive) -> {
        require(operator.takes(primitive), instruction + " does not exist");
        pop(stack, operator.isShift() ? int.class : primitive.type());
        pop(stack, primitive.type());
        stack.push(operator.isComparison() ? boolean.class : primitive.type());
      }
      case Instruction.Convert(Primitive from, Primitive to) -> {
        boolean numbers = from != Primitive.BOOLEAN && to != Primitive.BOOLEAN;
        require(numbers && from != to, instruction + " does not exist");
        pop(stack, from.type());
        stack.push(to.type());
      }
      case Instruction.Reverse(Primitive primitive) -> {
        require(REVERSIBLE.contains(primitive), instruction + " does not exist");
        pop(stack, primitive.type());
        stack.push(primitive.type());
      }
      case Instruction.Reinterpret(Primitive from, Primitive to) -> {
        boolean single = from == Primitive.INT && to == Primitive.FLOAT;
        boolean twice = from == Primitive.LONG && to == Primitive.DOUBLE;
        boolean back = from == Primitive.FLOAT && to == Primitive.INT;
        boolean backTwice = from == Primitive.DOUBLE && to == Primitive.LONG;
        require(single || twice || back || backTwice, instruction + " does not exist");
        pop(stack, from.type());
        stack.push(to.type());
      }
      default -> throw new IllegalStateException(instruction + " does not compute");
    }
  }

  private static Class<?> box(Primitive primitive) {
    return MethodType.methodType(primitive.type()).wrap().returnType();
  }

  private void pop(Deque<Class<?>> stack, Class<?> wanted) {
    Class<?> found = stack.poll();
    require(found == wanted, "it takes a " + wanted.getName() + " and finds " + found);
  }

  private void requireInside(Primitive primitive, int offset) {
    requireInside(primitive.sizeBytes(), primitive.sizeBytes(), offset);
  }

  private void requireInside(int alignment, long bytes, int offset) {
    require(offset >= 0 && offset <= sizeBytes - bytes, "offset " + offset + " is out of bounds");
    require(offset % alignment == 0, "offset " + offset + " is not aligned");
  }

  private void requireSlot(int slot) {
    require(slot >= 0 && slot < slots, "slot " + slot + " is out of bounds");
  }

  private void require(boolean holds, String problem) {
    if (!holds) {
      throw new IllegalArgumentException("recipe refused: " + problem + "\n" + this);
    }
  }

  @Override
  public String toString() {
    return "%s %s, %d bytes: %s"
        .formatted(
            name,
            type,
            sizeBytes,
            body.stream().map(Object::toString).collect(Collectors.joining("; ")));
  }
}
