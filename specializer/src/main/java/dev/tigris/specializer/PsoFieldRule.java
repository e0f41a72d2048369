package dev.tigris.specializer;

import java.lang.classfile.ClassModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.Optional;

/// Turns `getfield` and `putfield` of pre-serialized fields into call sites (Welsh, MS thesis,
/// 1999, section 5).
///
/// ```
/// getfield Trade.quantity:I   ->   invokedynamic get:(LTrade;)I      Trade.class, "quantity"
/// putfield Trade.quantity:I   ->   invokedynamic set:(LTrade;I)V     Trade.class, "quantity"
/// ```
///
/// A call site names what the instruction named and nothing more: where the field lies is decided
/// when the site is linked, from the class that is loaded then.
final class PsoFieldRule implements OwnRule {
  @Override
  public String name() {
    return "pso-field";
  }

  @Override
  public boolean concerns(ClassModel type, ClassHierarchy hierarchy) {
    // The linkage stands in classes that were rewritten before, which the report counts.
    return Rule.mentions(
        type, owner -> owner.equals(MemoryNames.LINKAGE) || hierarchy.isPso(owner));
  }

  @Override
  public boolean isRequired() {
    return true;
  }

  @Override
  public Decision decide(Site site) {
    if (site.instruction() instanceof InvokeDynamicInstruction earlier) {
      return stillFits(earlier, site.hierarchy());
    }
    if (!(site.instruction() instanceof FieldInstruction access) || isStatic(access.opcode())) {
      return Decision.PASS;
    }
    ClassHierarchy hierarchy = site.hierarchy();
    ClassDesc owner = access.owner().asSymbol();
    if (!hierarchy.isPso(owner)) {
      return Decision.PASS;
    }
    Optional<FieldInfo> found =
        hierarchy.resolveField(owner, access.name().stringValue(), access.typeSymbol());
    if (found.isEmpty()) {
      return new Decision.Refuse(describe(access) + " does not exist: compile both classes again");
    }
    FieldInfo field = found.get();
    if (field.owner().equals(MemoryNames.PSO)) {
      return Decision.PASS;
    }
    return switch (Storage.of(field, hierarchy)) {
      case Storage.OnHeap(String reason) -> new Decision.Leave(reason);
      case Storage.Refused(String problem) ->
          new Decision.Refuse(describe(access) + ": " + problem);
      case Storage.Part() when access.opcode() == Opcode.PUTFIELD ->
          new Decision.Refuse(
              describe(access)
                  + " lies in place and cannot be assigned: change its content, for "
                  + "example with set. Leave a generated setter out, by "
                  + "@Setter(AccessLevel.NONE) of Lombok or Kotlin's private set");
      case Storage.Part(), Storage.Stored() -> replace(site, access, field);
    };
  }

  /// Whether a call site that an earlier run has put there would link to the class as it is now.
  private static Decision stillFits(InvokeDynamicInstruction site, ClassHierarchy hierarchy) {
    MethodTypeDesc type = site.typeSymbol();
    boolean get = site.name().equalsString(MemoryNames.GET);
    if (!site.bootstrapMethod().equals(MemoryNames.FIELD_BOOTSTRAP)
        || type.parameterCount() != (get ? 1 : 2)
        || site.bootstrapArgs().size() != 2
        || !(site.bootstrapArgs().getFirst() instanceof ClassDesc owner)
        || !(site.bootstrapArgs().getLast() instanceof String name)
        || hierarchy.missingFrom(owner).isPresent()) {
      return Decision.PASS; // damaged, or not found
    }
    ClassDesc fieldType = get ? type.returnType() : type.parameterType(1);
    String what = Location.nameOf(owner) + "." + name;
    Optional<FieldInfo> field = hierarchy.resolveField(owner, name, fieldType);
    if (field.isEmpty()) {
      return stale("%s of type %s no longer exists".formatted(what, fieldType.displayName()));
    }
    if (!hierarchy.isPso(field.get().owner())) {
      return stale(what + " no longer belongs to a class of objects");
    }
    if (field.get().has(AccessFlag.STATIC)) {
      return stale(what + " is static now");
    }
    if (get) {
      return Decision.PASS;
    }
    if (Storage.of(field.get(), hierarchy) instanceof Storage.Part) {
      return new Decision.Refuse(
          what + " lies in place now and cannot be assigned: change its content");
    }
    return field.get().has(AccessFlag.FINAL) ? stale(what + " is final now") : Decision.PASS;
  }

  private static Decision stale(String how) {
    return new Decision.Refuse(how + ": compile this class again");
  }

  private static Decision replace(Site site, FieldInstruction access, FieldInfo field) {
    ClassDesc owner = access.owner().asSymbol();
    ClassDesc type = field.type();
    // Linking a call site resolves every class in its type, which a field access does not. Only
    // texts and views, which are public, are stored without a look at their class files.
    Optional<ClassInfo> seen = site.hierarchy().find(type);
    if (seen.isPresent() && !seen.get().isAccessibleFrom(site.in().name())) {
      return new Decision.Refuse(
          describe(access)
              + " has a type that this class cannot access: make "
              + type.displayName()
              + " public, or offer a method beside it");
    }
    ClassDesc receiver = receiver(site, owner, field);
    boolean get = access.opcode() == Opcode.GETFIELD;
    MethodTypeDesc siteType =
        get
            ? MethodTypeDesc.of(type, receiver)
            : MethodTypeDesc.of(ConstantDescs.CD_void, receiver, type);
    return new Decision.Replace(
        DynamicCallSiteDesc.of(
            MemoryNames.FIELD_BOOTSTRAP,
            get ? MemoryNames.GET : MemoryNames.SET,
            siteType,
            owner,
            field.name()));
  }

  /// The receiver's type in the call site: the owner that the instruction names, or the class
  /// around the instruction where the JVM demands that anyway (`super.f` of a protected field of
  /// another package, JVMS 4.10.1.8).
  private static ClassDesc receiver(Site site, ClassDesc owner, FieldInfo field) {
    ClassDesc in = site.in().name();
    boolean viaSuper =
        field.has(AccessFlag.PROTECTED)
            && !field.owner().packageName().equals(in.packageName())
            && site.hierarchy().isSubclass(in, owner);
    return viaSuper ? in : owner;
  }

  private static boolean isStatic(Opcode opcode) {
    return opcode == Opcode.GETSTATIC || opcode == Opcode.PUTSTATIC;
  }

  private static String describe(FieldInstruction access) {
    return Location.nameOf(access.owner().asSymbol()) + "." + access.name().stringValue();
  }
}
