package dev.tigris.specializer;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.FieldModel;
import java.lang.classfile.Signature;
import java.lang.classfile.attribute.SignatureAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.util.List;
import java.util.Optional;

/// What is left of a stored field in its class: one byte, and the declaration.
///
/// ```text
///   public int quantity;      compiled       descriptor I
///                             specialized    descriptor B    Signature I
///   public byte tag;          compiled       descriptor B
///                             specialized    descriptor Z    Signature B
/// ```
///
/// Compilers take a field's type from its `Signature`, and see what they saw before. The JVM takes
/// it from the descriptor, and finds no field for an access that was compiled against the
/// declaration and not rewritten: a [NoSuchFieldError], where it would read bytes that are never
/// written.
final class DeadField {
  private DeadField() {}

  /// The type that its declaration gives a field, whether or not the specializer has been here.
  static ClassDesc typeOf(FieldModel field) {
    ClassDesc type = field.fieldTypeSymbol();
    boolean mayBeDead = type.equals(ConstantDescs.CD_byte) || type.equals(ConstantDescs.CD_boolean);
    return mayBeDead ? signed(field).orElse(type) : type;
  }

  /// Writes what is left of a field. It stays as it is where its declaration alone would not give
  /// its type any more: where that is a variable of a class around its own, say, or a class with a
  /// name that reflection cannot read there.
  static void add(FieldModel field, ClassBuilder builder) {
    if (!isDeclaredBySignature(field)) {
      builder.with(field);
      return;
    }
    ClassDesc type = field.fieldTypeSymbol();
    boolean isByte = type.equals(ConstantDescs.CD_byte);
    builder.withField(
        field.fieldName(),
        builder.constantPool().utf8Entry(isByte ? ConstantDescs.CD_boolean : ConstantDescs.CD_byte),
        dead -> {
          field.forEach(dead::with);
          if (field.findAttribute(Attributes.signature()).isEmpty()) {
            dead.with(SignatureAttribute.of(Signature.of(type)));
          }
        });
  }

  /// Whether a field's `Signature`, the one that it has or gets, is enough to tell its type.
  private static boolean isDeclaredBySignature(FieldModel field) {
    ClassDesc type = field.fieldTypeSymbol();
    String descriptor = type.descriptorString();
    Optional<SignatureAttribute> said = field.findAttribute(Attributes.signature());
    boolean says =
        said.isPresent()
            ? signed(field).equals(Optional.of(type))
            : descriptor.indexOf('<') < 0 && descriptor.indexOf('>') < 0;
    String text = said.map(it -> it.signature().stringValue()).orElse(descriptor);
    // These may stand in the name of a class, and reflection takes it to end there.
    return says && text.chars().noneMatch(c -> Character.isWhitespace(c) || c == ':');
  }

  /// The erasure (JLS 4.6) of what a field's `Signature` says; empty if it has none, or a damaged
  /// one, which the JVM does not mind.
  private static Optional<ClassDesc> signed(FieldModel field) {
    try {
      List<Signature.TypeParam> variables =
          field
              .parent()
              .flatMap(type -> type.findAttribute(Attributes.signature()))
              .map(signature -> signature.asClassSignature().typeParameters())
              .orElse(List.of());
      return field
          .findAttribute(Attributes.signature())
          .flatMap(signature -> erased(signature.asTypeSignature(), variables));
    } catch (IllegalArgumentException damaged) {
      return Optional.empty();
    }
  }

  /// Arrays are not stored, and a variable that is bound to an interface alone is not either.
  private static Optional<ClassDesc> erased(Signature type, List<Signature.TypeParam> variables) {
    return switch (type) {
      case Signature.BaseTypeSig primitive ->
          Optional.of(ClassDesc.ofDescriptor(primitive.signatureString()));
      case Signature.ClassTypeSig plain -> Optional.of(plain.classDesc());
      case Signature.TypeVarSig variable ->
          variables.stream()
              .filter(known -> known.identifier().equals(variable.identifier()))
              .findFirst()
              .flatMap(
                  known -> known.classBound().flatMap(it -> erased(it, without(known, variables))));
      case Signature.ArrayTypeSig _ -> Optional.empty();
    };
  }

  /// A variable cannot be its own bound; in a damaged class file it might.
  private static List<Signature.TypeParam> without(
      Signature.TypeParam one, List<Signature.TypeParam> variables) {
    return variables.stream().filter(each -> !each.equals(one)).toList();
  }
}
