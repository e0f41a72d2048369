package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.PatchKind;
import dev.tigris.specializer.patch.PatchRefusedException;
import dev.tigris.specializer.patch.PatchSigner;
import dev.tigris.specializer.patch.TrustedKeys;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CodePatchTest {
  private static final String USER =
      """
      package app;
      class User {
        long use(Trade trade) {
          trade.quantity += 2;
          return trade.id;
        }
        int other(int a, int b) { return a + b; }
      }
      """;

  private static final String BELL =
      """
      package app;
      import dev.tigris.memory.*;
      class Bell extends Pso {
        volatile int value;
        Bell(Container container) { super(container); }
        native int value();
      }
      """;

  /// As a patch names it, and what follows there before its script.
  private static final String METHOD = "use(Lapp/Trade;)J";

  private static final int CHECK_AND_LENGTH_BYTES = 8 + 4;

  @TempDir private Path temporary;
  private Workshop shop;

  @BeforeEach
  void openShop() throws IOException {
    shop = new Workshop(temporary);
    shop.javac.compile(Workshop.TRADE, USER, BELL);
  }

  @AfterEach
  void closeShop() {
    shop.close();
  }

  private byte[] patched(PatchKind kind, Optional<PatchSigner> signer) throws IOException {
    byte[] original = shop.bytes("app/User");
    return CodePatch.attach(original, shop.specialize("app/User").bytes(), kind, signer);
  }

  private byte[] patched(PatchKind kind) throws IOException {
    return patched(kind, Optional.empty());
  }

  /// Where the attribute's content begins: it comes last, and its name is one constant more.
  private int contentAt() throws IOException {
    return shop.bytes("app/User").length + 3 + CodePatch.ATTRIBUTE.length() + 6;
  }

  private static String refusal(byte[] classFile, TrustedKeys keys) {
    return assertThrows(PatchRefusedException.class, () -> CodePatch.apply(classFile, keys))
        .getMessage();
  }

  private static String refusal(byte[] classFile) {
    return refusal(classFile, TrustedKeys.ANY);
  }

  /// What a tool would do that subtracts in a method where there was a sum.
  private static byte[] subtractIn(String method, byte[] classFile) {
    return ClassFile.of()
        .transformClass(
            ClassFile.of().parse(classFile),
            ClassTransform.transformingMethodBodies(
                candidate -> candidate.methodName().equalsString(method),
                (builder, element) -> builder.with(subtract(element))));
  }

  private static CodeElement subtract(CodeElement element) {
    boolean sum = element instanceof OperatorInstruction found && found.opcode() == Opcode.IADD;
    return sum ? OperatorInstruction.of(Opcode.ISUB) : element;
  }

  @ParameterizedTest
  @EnumSource
  void givesTheSpecializedClassToTheByte(PatchKind kind) throws Exception {
    for (String name : List.of("app/Trade", "app/User", "app/Trade$Watcher", "app/Bell")) {
      byte[] original = shop.bytes(name);
      byte[] specialized = shop.specialize(name).bytes();
      byte[] patched = CodePatch.attach(original, specialized, kind, Optional.empty());
      assertArrayEquals(specialized, CodePatch.apply(patched, TrustedKeys.ANY).orElseThrow());
      assertArrayEquals(original, CodePatch.strip(patched));
      assertTrue(CodePatch.isIn(patched));
      assertFalse(CodePatch.isIn(original));
    }
  }

  @Test
  void isNothingToAJvmThatKnowsNoPatches() throws IOException {
    byte[] patched = patched(PatchKind.DIFF);
    assertEquals(List.of(), ClassFile.of().verify(patched));
    assertTrue(
        shop.specializer.check(patched).getFirst().message().contains("was not rewritten"),
        "the original's accesses are still there");
  }

  @Test
  void leavesAClassAloneThatOnlyMentionsTheAttribute() throws Exception {
    shop.javac.compile(
        "package app; class Mention { String name = \"" + CodePatch.ATTRIBUTE + "\"; }");
    byte[] mention = shop.bytes("app/Mention");
    assertEquals(Optional.empty(), CodePatch.apply(mention, TrustedKeys.ANY));
    byte[] patched = CodePatch.attach(mention, mention, PatchKind.FLAT, Optional.empty());
    assertArrayEquals(mention, CodePatch.apply(patched, TrustedKeys.ANY).orElseThrow());
  }

  @Test
  void findsItsNameWhereverItStands() {
    byte[] name = CodePatch.ATTRIBUTE.getBytes(StandardCharsets.UTF_8);
    for (int before = 13; before < 13 + 2 * name.length; before++) {
      for (byte around : new byte[] {0, '~'}) {
        byte[] classFile = new byte[before + name.length + before % 3 * name.length];
        Arrays.fill(classFile, around);
        assertFalse(CodePatch.mayBeIn(classFile));
        System.arraycopy(name, 0, classFile, before, name.length);
        assertTrue(CodePatch.mayBeIn(classFile), before + " bytes before it");
        assertTrue(CodePatch.mayBeIn(Arrays.copyOf(classFile, before + name.length)), "at the end");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void refusesAPatchWhereverAToolHasPutIt(PatchKind kind) throws IOException {
    byte[] patched = patched(kind);
    for (int added = 0; added < 64; added++) {
      String text = "t".repeat(added);
      byte[] moved =
          ClassFile.of(ClassFile.ConstantPoolSharingOption.NEW_POOL)
              .build(
                  ClassDesc.of("app.User"),
                  builder -> {
                    builder.constantPool().utf8Entry(text);
                    ClassFile.of().parse(patched).forEach(builder);
                  });
      String message = refusal(moved);
      assertTrue(message.startsWith("app.User.use(Trade)long: "), message);
    }
  }

  @Test
  void makesADifferenceSmallerThanAWholeMethod() throws IOException {
    int flat = patched(PatchKind.FLAT).length;
    int diff = patched(PatchKind.DIFF).length;
    assertTrue(diff < flat, diff + " and " + flat);
  }

  @ParameterizedTest
  @EnumSource
  void refusesAPatchWhoseMethodChanged(PatchKind kind) throws IOException {
    String message = refusal(subtractIn("use", patched(kind)));
    assertTrue(message.startsWith("app.User.use(Trade)long: "), message);
    assertTrue(message.contains("was changed after the patch was made"), message);
    assertTrue(message.contains("run it again"), message);
  }

  @ParameterizedTest
  @EnumSource
  void refusesAPatchWhoseClassChangedElsewhere(PatchKind kind) throws IOException {
    String message = refusal(subtractIn("other", patched(kind)));
    assertTrue(message.startsWith("app.User.use(Trade)long: "), message);
    assertTrue(message.contains("something else in the class"), message);
  }

  @Test
  void refusesAPatchAfterWhichAToolAddedConstants() throws IOException {
    byte[] changed =
        ClassFile.of()
            .transformClass(
                ClassFile.of().parse(patched(PatchKind.DIFF)),
                ClassTransform.endHandler(
                    builder -> builder.withField("added", ConstantDescs.CD_int, 0)));
    String message = refusal(changed);
    assertTrue(message.startsWith("app.User.use(Trade)long: a tool has changed"), message);
    assertThrows(PatchRefusedException.class, () -> CodePatch.strip(changed));
  }

  @Test
  void refusesThePatchOfAnotherClass() throws IOException {
    byte[] patched = patched(PatchKind.DIFF);
    byte[] renamed =
        ClassFile.of()
            .transformClass(
                ClassFile.of().parse(patched), ClassDesc.of("app.Twin"), ClassTransform.ACCEPT_ALL);
    assertTrue(refusal(renamed).startsWith("app.Twin.use(Trade)long: "), refusal(renamed));
  }

  @ParameterizedTest
  @EnumSource
  void refusesAPatchCutOffAnywhere(PatchKind kind) throws IOException {
    byte[] patched = patched(kind);
    int start = contentAt();
    int named = indexOf(patched, METHOD) + METHOD.length() + CHECK_AND_LENGTH_BYTES;
    for (int length = start; length < patched.length; length++) {
      byte[] cut = Arrays.copyOf(patched, length);
      int content = length - start;
      cut[start - 2] = (byte) (content >>> 8);
      cut[start - 1] = (byte) content;
      String where = length < named ? "app.User" : "app.User.use(Trade)long: ";
      assertTrue(refusal(cut).startsWith(where), refusal(cut));
    }
  }

  @ParameterizedTest
  @EnumSource
  void refusesAPatchWithAnyBitFlipped(PatchKind kind) throws IOException {
    byte[] patched = patched(kind);
    for (int bit = contentAt() * 8; bit < patched.length * 8; bit++) {
      byte[] flipped = patched.clone();
      flipped[bit / 8] ^= (byte) (1 << (bit % 8));
      assertTrue(refusal(flipped).startsWith("app.User"), refusal(flipped));
    }
  }

  @Test
  void namesTheMethodThatATamperedScriptIsOf() throws IOException {
    byte[] patched = patched(PatchKind.FLAT);
    int name = indexOf(patched, METHOD);
    patched[name + METHOD.length() + CHECK_AND_LENGTH_BYTES + 20] ^= 1;
    assertTrue(refusal(patched).startsWith("app.User.use(Trade)long: "), refusal(patched));
    patched[name] = (byte) 0xc2; // U+009B, which a terminal would obey
    patched[name + 1] = (byte) 0x9b;
    assertTrue(refusal(patched).startsWith("app.User.?e(Trade)long: "), refusal(patched));
  }

  private static int indexOf(byte[] bytes, String text) {
    return new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
  }

  @Test
  void neverGivesAnythingElseWhereTheClassIsDamaged() throws IOException {
    byte[] patched = patched(PatchKind.DIFF);
    for (int bit = 0; bit < contentAt() * 8; bit++) {
      byte[] flipped = patched.clone();
      flipped[bit / 8] ^= (byte) (1 << (bit % 8));
      try {
        Optional<byte[]> result = CodePatch.apply(flipped, TrustedKeys.ANY);
        assertFalse(result.isPresent(), "bit " + bit);
      } catch (PatchRefusedException refused) {
        assertFalse(refused.getMessage().isEmpty());
      }
    }
  }

  /// A class whose methods each push a number.
  private static byte[] ofMethods(List<String> names, MethodTypeDesc type, int number) {
    return ClassFile.of()
        .build(
            ClassDesc.of("app.Many"),
            builder -> {
              for (String name : names) {
                builder.withMethodBody(
                    name,
                    type,
                    ClassFile.ACC_STATIC,
                    code -> code.loadConstant(number).pop().return_());
              }
            });
  }

  @Test
  void looksAtEachMethodOnceToSayWhichHasChanged() {
    List<String> names = IntStream.range(0, 20_000).mapToObj(index -> "method" + index).toList();
    byte[] patched =
        CodePatch.attach(
            ofMethods(names, ConstantDescs.MTD_void, 0),
            ofMethods(names, ConstantDescs.MTD_void, 1),
            PatchKind.FLAT,
            Optional.empty());
    patched[patched.length - 2] ^= 1; // of the checksum: every method is as it was
    String message = assertTimeoutPreemptively(Duration.ofSeconds(20), () -> refusal(patched));
    assertTrue(message.startsWith("app.Many.method0()void: "), message);
    assertTrue(message.contains("something else in the class or in the patch"), message);
  }

  @Test
  void refusesToPatchAMethodWhoseNameFitsNoPatch() {
    ClassDesc argument = ClassDesc.of("t".repeat(300));
    MethodTypeDesc type =
        MethodTypeDesc.of(ConstantDescs.CD_void, Collections.nCopies(200, argument));
    List<String> names = List.of("n".repeat(40_000));
    byte[] original = ofMethods(names, type, 0);
    byte[] specialized = ofMethods(names, type, 1);
    String message =
        assertThrows(
                IllegalArgumentException.class,
                () -> CodePatch.attach(original, specialized, PatchKind.FLAT, Optional.empty()))
            .getMessage();
    assertTrue(message.contains("deliver it as a rewritten class"), message);
  }

  @Test
  void takesSignedPatchesFromTrustedKeysOnly() throws Exception {
    Keys ours = Keys.make(temporary.resolve("ours"));
    Keys others = Keys.make(temporary.resolve("others"));
    byte[] signed = patched(PatchKind.DIFF, Optional.of(PatchSigner.of(ours.secret())));
    byte[] specialized = shop.specialize("app/User").bytes();
    TrustedKeys both = TrustedKeys.of(List.of(others.open(), ours.open()));
    assertArrayEquals(specialized, CodePatch.apply(signed, both).orElseThrow());
    assertArrayEquals(specialized, CodePatch.apply(signed, TrustedKeys.ANY).orElseThrow());

    String stranger = refusal(signed, TrustedKeys.of(List.of(others.open())));
    assertTrue(stranger.startsWith("app.User.use(Trade)long: "), stranger);
    assertTrue(stranger.contains("none of the trusted keys"), stranger);
    String unsigned = refusal(patched(PatchKind.DIFF), TrustedKeys.of(List.of(ours.open())));
    assertTrue(unsigned.startsWith("app.User.use(Trade)long: "), unsigned);
    assertTrue(unsigned.contains("--sign"), unsigned);
    signed[signed.length - 1] ^= 1;
    assertTrue(refusal(signed, both).contains("none of the trusted keys"));
  }

  @Test
  void refusesASignatureTakenFromAnotherClass() throws Exception {
    Keys keys = Keys.make(temporary.resolve("ours"));
    Optional<PatchSigner> signer = Optional.of(PatchSigner.of(keys.secret()));
    byte[] user = patched(PatchKind.FLAT, signer);
    byte[] trade =
        CodePatch.attach(
            shop.bytes("app/Trade"), shop.specialize("app/Trade").bytes(), PatchKind.FLAT, signer);
    System.arraycopy(trade, trade.length - 64, user, user.length - 64, 64);
    assertTrue(
        refusal(user, TrustedKeys.of(List.of(keys.open()))).contains("none of the trusted keys"));
  }

  @Test
  void saysWhatToDoAboutAKeyFileThatIsNone() throws Exception {
    Path nonsense = Files.writeString(temporary.resolve("nonsense"), "no key");
    String secret = assertThrows(IOException.class, () -> PatchSigner.of(nonsense)).getMessage();
    assertTrue(secret.contains("openssl genpkey -algorithm ed25519"), secret);
    Path wrong =
        Files.writeString(
            temporary.resolve("wrong"),
            "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n");
    String open =
        assertThrows(IOException.class, () -> TrustedKeys.of(List.of(wrong))).getMessage();
    assertTrue(open.contains("openssl pkey"), open);
  }
}
