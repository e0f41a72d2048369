package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.PatchKind;
import dev.tigris.specializer.patch.TrustedKeys;
import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.FieldModel;
import java.lang.classfile.FieldTransform;
import java.lang.classfile.attribute.SignatureAttribute;
import java.lang.classfile.constantpool.Utf8Entry;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DeadFieldTest extends InWorkshop {
  private static final String USER =
      "package app; class User { long use(Trade t) { t.quantity++; return t.id; } }";

  /// Each field's name, its descriptor, and what its `Signature` says.
  private static List<String> fields(byte[] classFile) {
    List<String> fields = new ArrayList<>();
    for (FieldModel field : ClassFile.of().parse(classFile).fields()) {
      String signature =
          field
              .findAttribute(Attributes.signature())
              .map(said -> " " + said.signature().stringValue())
              .orElse("");
      fields.add(
          field.fieldName().stringValue() + " " + field.fieldType().stringValue() + signature);
    }
    return fields;
  }

  @Test
  void leavesAByteOfEachStoredFieldAndTheOthersAsTheyAre() throws IOException {
    shop.javac.compile(Workshop.TRADE);
    byte[] trade = shop.specialize("app/Trade").bytes();
    assertEquals(
        List.of(
            "id B J",
            "quantity B I",
            "open B Z",
            "next B Lapp/Trade;",
            "note Ljava/lang/String;",
            "made I",
            "next-recovered Lapp/Trade;"),
        fields(trade));
    assertEquals(List.of(), ClassFile.of().verify(trade));
  }

  @Test
  void keepsWhatADeclarationSays() throws IOException {
    shop.javac.compile(
        Workshop.TRADE,
        """
        package app;
        import dev.tigris.memory.*;
        class Kinds<T extends Trade, U extends T> extends Pso {
          @Deprecated protected volatile byte small;
          @Capacity(9) Utf8 name;
          T variable;
          U bounded;
          Kinds<U, U> generic;
          class Inner extends Pso { T outer; Inner(Container container) { super(container); } }
          Kinds(Container container) { super(container); }
        }
        """);
    byte[] before = shop.bytes("app/Kinds");
    byte[] kinds = shop.specialize("app/Kinds").bytes();
    assertEquals(
        List.of(
            "small Z B",
            "name B Ldev/tigris/memory/Utf8;",
            "variable B TT;",
            "bounded B TU;",
            "generic B Lapp/Kinds<TU;TU;>;",
            "variable-recovered Lapp/Trade;",
            "bounded-recovered Lapp/Trade;"), // objects of Kinds have no identity
        fields(kinds));
    assertEquals(infos(before), infos(kinds));
    assertFalse(shop.specializer.specialize(kinds).changed());

    byte[] inner = shop.specialize("app/Kinds$Inner").bytes();
    assertEquals(
        List.of("outer Lapp/Trade; TT;", "outer-recovered Lapp/Trade;"), // another class declares T
        fields(inner));
    assertEquals(infos(shop.bytes("app/Kinds$Inner")), infos(inner));
  }

  /// Kotlin names local classes of a test after its sentence.
  @Test
  void leavesAFieldAsItIsWhereReflectionCannotReadItsType() {
    for (String name : List.of("app.adds two$Pair", "app.a:b", "app.a<b", "app.a>b")) {
      ClassDesc odd = ClassDesc.of(name);
      byte[] compiled =
          ClassFile.of()
              .build(
                  odd,
                  type ->
                      type.withSuperclass(ClassDesc.of("dev.tigris.memory.Pso"))
                          .withField("next", odd, ClassFile.ACC_PUBLIC)
                          .withField("count", ConstantDescs.CD_int, ClassFile.ACC_PUBLIC));
      List<String> fields = fields(shop.specializer.specialize(compiled).bytes());
      assertTrue(fields.contains("next " + odd.descriptorString()), fields::toString);
      assertTrue(fields.contains("count B I"), fields::toString);
    }
  }

  /// What is declared, without what was added.
  private static List<FieldInfo> infos(byte[] classFile) {
    return ClassInfo.of(ClassFile.of().parse(classFile)).fields().stream()
        .filter(field -> !field.has(AccessFlag.SYNTHETIC))
        .toList();
  }

  @Test
  void findsForgottenAccessesOfSpecializedClasses() throws IOException {
    shop.javac.compile(Workshop.TRADE);
    shop.specializeAll();
    shop.javac.compile(USER); // against what is left
    List<String> problems =
        new Specializer(new ClassHierarchy(shop.classPath), Rule.standard())
            .check(shop.bytes("app/User")).stream().map(Problem::message).toList();
    assertEquals(
        List.of(
            "getfield app.Trade.quantity was not rewritten",
            "putfield app.Trade.quantity was not rewritten",
            "getfield app.Trade.id was not rewritten"),
        problems);
  }

  @Test
  void isTheSameByACodePatch() throws Exception {
    shop.javac.compile(Workshop.TRADE);
    byte[] original = shop.bytes("app/Trade");
    byte[] specialized = shop.specialize("app/Trade").bytes();
    for (PatchKind kind : PatchKind.values()) {
      byte[] patched = CodePatch.attach(original, specialized, kind, Optional.empty());
      byte[] applied = CodePatch.apply(patched, TrustedKeys.ANY).orElseThrow();
      assertArrayEquals(specialized, applied);
    }
  }

  private byte[] trade(ClassTransform change) throws IOException {
    shop.javac.compile(Workshop.TRADE);
    ClassModel trade = ClassFile.of().parse(shop.bytes("app/Trade"));
    byte[] changed = ClassFile.of().transformClass(trade, change);
    Files.write(shop.javac.folder().resolve("app/Trade.class"), changed);
    return changed;
  }

  @Test
  void leavesAFieldAloneWhoseSignatureSaysSomethingElse() throws IOException {
    for (String signature : List.of("Lapp/Other;", "TT;", "[I", "?", "")) {
      byte[] trade =
          trade(
              (builder, element) -> {
                if (element instanceof FieldModel field && field.fieldName().equalsString("next")) {
                  Utf8Entry said = builder.constantPool().utf8Entry(signature);
                  builder.transformField(
                      field,
                      FieldTransform.endHandler(end -> end.with(SignatureAttribute.of(said))));
                } else {
                  builder.with(element);
                }
              });
      Specialized specialized = shop.specializer.specialize(trade);
      assertEquals(List.of(), specialized.problems());
      assertTrue(fields(specialized.bytes()).contains("next Lapp/Trade; " + signature));
      assertEquals(infos(trade), infos(specialized.bytes()));
    }
  }

  /// No compiler makes them; an obfuscator may.
  @Test
  void refusesFieldsThatOnlyTheirTypesTellApart() throws IOException {
    byte[] trade =
        trade(
            ClassTransform.endHandler(
                builder -> builder.withField("id", ConstantDescs.CD_int, ClassFile.ACC_PUBLIC)));
    List<Problem> problems = shop.specializer.specialize(trade).problems();
    assertEquals(1, problems.size(), problems.toString());
    assertTrue(
        problems.getFirst().message().contains("Duplicate field name id"), problems.toString());
    assertEquals(ClassDesc.of("app.Trade"), problems.getFirst().location().type());
  }
}
