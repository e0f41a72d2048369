// Over 400 lines: each kind of call site, and what is refused.
package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.other.Account;
import dev.tigris.memory.other.Stranger;
import dev.tigris.specializer.MemoryNames;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.CallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A call site gives what a field access in the same place gives, and the same errors, whoever
/// wrote it.
class PsoLinkageTest {
  private static final ClassDesc ACCOUNT = Account.class.describeConstable().orElseThrow();
  private static final ClassDesc INT = int.class.describeConstable().orElseThrow();
  private static final MethodTypeDesc USE = MethodTypeDesc.of(INT, ACCOUNT);

  private final Container container = Jbuf.allocate(1024).asContainer();
  private final Account account = new Account(container);

  static class Savings extends Account {
    Savings(Container container) {
      super(container);
    }

    public static Lookup lookup() {
      return MethodHandles.lookup();
    }

    int viaThis() {
      return guarded;
    }

    int viaSuper() {
      return super.guarded;
    }

    IntSupplier viaLambda() {
      return () -> guarded++;
    }

    final class Inner {
      int look() {
        return guarded;
      }
    }
  }

  @Test
  void reachesFieldsOfEveryVisibilityFromWhereJavaAllowsIt() {
    assertEquals(10, account.sum());
    assertEquals(5, Stranger.near(account));
    assertEquals(1, account.open);
    Savings savings = new Savings(container);
    assertEquals(2, savings.viaThis());
    assertEquals(2, savings.viaSuper());
    assertEquals(2, savings.viaLambda().getAsInt());
    assertEquals(3, savings.new Inner().look());
  }

  /// Defines a class beside [Stranger] with a method `int use(Account)` of the given code.
  private static MethodHandle define(String name, Consumer<CodeBuilder> body) throws Exception {
    byte[] bytes =
        ClassFile.of()
            .build(
                ClassDesc.of("dev.tigris.memory.other." + name),
                type ->
                    type.withMethodBody(
                        "use", USE, ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC, body));
    Lookup lookup = Stranger.lookup().defineHiddenClass(bytes, true);
    return lookup.findStatic(
        lookup.lookupClass(), "use", MethodType.methodType(int.class, Account.class));
  }

  private static MethodHandle site(
      String operation, MethodTypeDesc type, ClassDesc owner, String field) throws Exception {
    return define(
        "Forger",
        code ->
            code.aload(0)
                .invokedynamic(
                    DynamicCallSiteDesc.of(
                        MemoryNames.FIELD_BOOTSTRAP, operation, type, owner, field))
                .ireturn());
  }

  private static MethodHandle plain(String field, ClassDesc type) throws Exception {
    return define("Plain", code -> code.aload(0).getfield(ACCOUNT, field, type).ireturn());
  }

  private Class<?> error(MethodHandle use) {
    return assertThrows(Throwable.class, () -> ignore((int) use.invokeExact(account))).getClass();
  }

  private static void ignore(int value) {
    assertTrue(value == value);
  }

  @Test
  void linksAHandWrittenCallSiteThatIsEntitled() throws Throwable {
    assertEquals(3, (int) site("get", USE, ACCOUNT, "near").invokeExact(account));
  }

  @Test
  void throwsWhatAFieldAccessThrows() throws Exception {
    for (String field : new String[] {"secret", "absent"}) {
      Class<?> expected = error(plain(field, ConstantDescs.CD_byte)); // what is left of an int
      assertSame(expected, error(site("get", USE, ACCOUNT, field)));
    }
    assertSame(IllegalAccessError.class, error(site("get", USE, ACCOUNT, "secret")));
    assertSame(NoSuchFieldError.class, error(site("get", USE, ACCOUNT, "absent")));
  }

  @Test
  void saysOfAFieldThatWasChangedSinceWhatToDo() throws Exception {
    assertSame(error(plain("SHARED", INT)), error(site("get", USE, ACCOUNT, "SHARED")));
    for (String field : new String[] {"absent", "SHARED"}) {
      MethodHandle stale = site("get", USE, ACCOUNT, field);
      Error error = assertThrows(Error.class, () -> ignore((int) stale.invokeExact(account)));
      String message = String.valueOf(error.getMessage());
      assertTrue(message.matches(".*Account.*%s.* against it again".formatted(field)), message);
    }
  }

  @Test
  void doesNotFindTheFieldForAnAccessThatWasNotRewritten() throws Throwable {
    assertSame(NoSuchFieldError.class, error(plain("near", INT)));
    MethodHandle leftOver = plain("near", ConstantDescs.CD_byte);
    assertEquals(0, (int) leftOver.invokeExact(account));
  }

  @SuppressWarnings("HidingField") // it is what the test is about
  public static class Shadowing extends Account {
    long open = 1;
    private byte guarded = 2;

    Shadowing(Container container) {
      super(container);
    }

    long both() {
      return open + guarded;
    }
  }

  @Test
  void reachesAFieldBehindAnotherOneOfItsNameAsTheJvmDoes() throws Throwable {
    Shadowing shadowing = new Shadowing(container);
    shadowing.open = 77;
    assertEquals(79, shadowing.both());
    MethodType type = MethodType.methodType(int.class, Shadowing.class);
    for (String field : new String[] {"open", "near"}) {
      CallSite site = PsoLinkage.field(Account.lookup(), "get", type, Shadowing.class, field);
      int value = (int) site.getTarget().invokeExact(shadowing);
      assertEquals(field.equals("open") ? 1 : 3, value);
    }
    assertThrows(
        NoSuchFieldError.class,
        () ->
            PsoLinkage.field(
                MethodHandles.lookup(),
                "get",
                type.changeReturnType(short.class),
                Shadowing.class,
                "open"));
  }

  /// A class that is smaller, larger, abstract or of something else than the elements are.
  static final class Wide extends Pso {
    long first;
    long second;
    long third;

    Wide(Container container) {
      super(container);
    }
  }

  abstract static class Base extends Pso {
    Base(Container container) {
      super(container);
    }
  }

  @Test
  void findsACursorsElementWhateverClassTheCallSiteExpects(@TempDir Path folder) throws Throwable {
    Outside.compile(
        folder,
        "NoLayout",
        "public class NoLayout extends dev.tigris.memory.Pso { String name;"
            + " public NoLayout(dev.tigris.memory.Container all) { super(all); } }");
    try (var loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      findsACursorsElement(loader.loadClass("NoLayout"));
    }
  }

  private void findsACursorsElement(Class<?> withoutLayout) throws Throwable {
    PsoTable<Wide> table = new PsoTable<>(container, Wide.class, 3);
    PsoList<Wide> list = new PsoList<>(container, Wide.class, 3);
    for (int i = 0; i < 3; i++) {
      list.add(table.add());
      table.get(i).second = 10L + i;
    }
    for (Class<?> expected :
        List.of(
            Wide.class,
            Account.class,
            Base.class,
            Pso.class,
            Object.class,
            int.class,
            withoutLayout)) {
      MethodHandle element = elementOf(expected);
      for (PsoCollection<Wide> all : List.of(table, list)) {
        PsoCursor<Wide> cursor = all.cursor();
        assertThrows(IllegalStateException.class, () -> elementOf(element, cursor));
        for (int i = 0; cursor.next(); i++) {
          assertEquals(10 + i, ((Wide) elementOf(element, cursor)).second);
        }
      }
    }
    assertThrows(NullPointerException.class, () -> elementOf(elementOf(Wide.class), null));
  }

  private static MethodHandle elementOf(Class<?> expected) {
    MethodType type = MethodType.methodType(Pso.class, PsoCursor.class);
    return PsoLinkage.element(Account.lookup(), "element", type, expected).getTarget();
  }

  /// Whatever class the code names, a call site gives what the method gives.
  @Test
  void anElementIsTheSameWhateverClassIsExpected() throws Throwable {
    Container container = Jbuf.allocate(4096).asContainer();
    PsoTable<Wide> table = new PsoTable<>(container, Wide.class, 3);
    PsoList<Wide> list = new PsoList<>(container, Wide.class, 4);
    for (int i = 0; i < 3; i++) {
      list.add(table.add());
      table.get(i).second = 10L + i;
    }
    list.add(null);
    MethodType type = MethodType.methodType(Pso.class, PsoCollection.class, long.class);
    for (Class<?> expected : List.of(Wide.class, Account.class, Base.class, Pso.class, int.class)) {
      MethodHandle get =
          PsoLinkage.element(Account.lookup(), "element", type, expected).getTarget();
      for (PsoCollection<Wide> all : List.of(table, list)) {
        for (long i = 0; i < 3; i++) {
          Pso found = (Pso) get.invokeExact((PsoCollection) all, i);
          assertEquals(10 + i, ((Wide) found).second);
          assertEquals(table.get(i), found);
        }
        long size = all.size();
        assertThrows(
            IndexOutOfBoundsException.class,
            () -> {
              Pso _ = (Pso) get.invokeExact((PsoCollection) all, size);
            });
      }
      assertNull((Pso) get.invokeExact((PsoCollection) list, 3L));
    }
  }

  @SuppressWarnings("NullAway") // also without a cursor
  private static Pso elementOf(MethodHandle element, @Nullable PsoCursor<?> cursor)
      throws Throwable {
    return (Pso) element.invokeExact((PsoCursor) cursor);
  }

  @Test
  void refusesACallSiteForAnotherMethodOfACursor() {
    MethodType type = MethodType.methodType(Pso.class, PsoCursor.class);
    for (MethodType other :
        List.of(
            type.changeReturnType(Wide.class),
            type.changeParameterType(0, Object.class),
            type.appendParameterTypes(long.class))) {
      assertThrows(
          IncompatibleClassChangeError.class,
          () -> PsoLinkage.element(Account.lookup(), "element", other, Wide.class));
    }
    assertThrows(
        IncompatibleClassChangeError.class,
        () -> PsoLinkage.element(Account.lookup(), "next", type, Wide.class));
  }

  @Test
  void refusesTheFieldsOfThisModule() {
    for (Lookup caller : new Lookup[] {Account.lookup(), Stranger.lookup()}) {
      assertThrows(IllegalAccessError.class, () -> link(caller, "get", long.class, "bits"));
      assertThrows(IllegalAccessError.class, () -> link(caller, "get", PsoHome.class, "home"));
    }
    // Whoever may see them gets them as plain fields only: no call site reaches them.
    assertThrows(
        IncompatibleClassChangeError.class,
        () -> link(MethodHandles.lookup(), "get", long.class, "bits"));
  }

  @Test
  void refusesReceiversThatAreNotTheOwner() throws Exception {
    MethodTypeDesc object = MethodTypeDesc.of(INT, ClassDesc.of("java.lang.Object"));
    assertSame(IncompatibleClassChangeError.class, error(site("get", object, ACCOUNT, "near")));
    MethodTypeDesc pso = MethodTypeDesc.of(INT, MemoryNames.PSO);
    assertSame(IncompatibleClassChangeError.class, error(site("get", pso, ACCOUNT, "near")));
  }

  @Test
  void refusesOtherTypesOwnersAndOperations() throws Exception {
    assertSame(IncompatibleClassChangeError.class, error(site("peek", USE, ACCOUNT, "near")));
    for (Class<?> type : new Class<?>[] {long.class, byte.class, boolean.class}) {
      assertThrows(NoSuchFieldError.class, () -> link(Stranger.lookup(), "get", type, "near"));
    }
    assertThrows(
        IncompatibleClassChangeError.class,
        () ->
            PsoLinkage.field(
                MethodHandles.lookup(),
                "get",
                MethodType.methodType(Container.class, PsoLinkageTest.class),
                PsoLinkageTest.class,
                "container"));
  }

  private static void link(Lookup caller, String operation, Class<?> type, String field) {
    PsoLinkage.field(
        caller, operation, MethodType.methodType(type, Account.class), Account.class, field);
  }

  @Test
  void obeysTheCallersLookupAndNotTheClassAlone() {
    link(Account.lookup(), "get", int.class, "secret");
    assertThrows(
        IllegalAccessError.class, () -> link(Stranger.lookup(), "get", int.class, "secret"));
    assertThrows(
        IllegalAccessError.class,
        () -> link(Account.lookup().dropLookupMode(Lookup.PRIVATE), "get", int.class, "secret"));
    assertThrows(
        IllegalAccessError.class,
        () -> link(MethodHandles.publicLookup(), "get", int.class, "near"));
    assertThrows(
        IllegalAccessError.class, () -> link(MethodHandles.lookup(), "get", int.class, "guarded"));
  }

  @Test
  void declaresAClassOnlyWithItsOwnRights() {
    assertThrows(
        IllegalArgumentException.class,
        () -> PsoLinkage.declare(Account.lookup().dropLookupMode(Lookup.PRIVATE)));
    assertThrows(IllegalArgumentException.class, () -> PsoLinkage.declare(MethodHandles.lookup()));
  }

  private static MethodHandle recipe(Lookup caller, MethodType type, String recipe) {
    return PsoLinkage.recipe(caller, "test", type, recipe).getTarget();
  }

  private static final MethodType READ = MethodType.methodType(int.class, Account.class);

  @Test
  void linksARecipeForTheClassThatItIsOver() throws Throwable {
    account.open = 77;
    assertEquals(77, (int) recipe(Account.lookup(), READ, "peek int @0").invokeExact(account));
  }

  @Test
  void linksNoRecipeForAnybodyElse() {
    for (Lookup caller :
        List.of(
            Stranger.lookup(),
            Account.lookup().dropLookupMode(Lookup.PRIVATE),
            MethodHandles.publicLookup().in(Account.class),
            MethodHandles.lookup().in(Account.class),
            MethodHandles.lookup())) {
      assertThrows(IllegalAccessError.class, () -> recipe(caller, READ, "peek int @0"));
    }
    // A subclass does not know which of its superclass's fields are private.
    assertThrows(
        IllegalAccessError.class,
        () ->
            recipe(
                Savings.lookup(), MethodType.methodType(int.class, Savings.class), "peek int @0"));
  }

  @Test
  void linksNoRecipeThatReachesOutOfTheClassesOwnFields() {
    int end = PsoLayout.of(Account.class).endBytes();
    for (int offset : new int[] {end, -4, end & -4, 1 << 20, Integer.MAX_VALUE}) {
      IncompatibleClassChangeError refused =
          assertThrows(
              IncompatibleClassChangeError.class,
              () -> recipe(Account.lookup(), READ, "peek int @" + offset));
      assertTrue(refused.getMessage().contains("recipe refused: offset " + offset));
    }
  }

  @Test
  void linksNoRecipeOfAnotherType() {
    for (MethodType type :
        List.of(
            MethodType.methodType(int.class),
            MethodType.methodType(int.class, Pso.class),
            MethodType.methodType(int.class, Object.class),
            MethodType.methodType(Object.class, Account.class),
            MethodType.methodType(int.class, Account.class, Object.class),
            MethodType.methodType(long.class, Account.class),
            MethodType.methodType(int.class, Account.class, int.class, int.class))) {
      assertThrows(
          IncompatibleClassChangeError.class, () -> recipe(Account.lookup(), type, "peek int @0"));
    }
    for (String text : List.of("", "peek", "peek int @0; peek int @0", "recover slot 0")) {
      assertThrows(IncompatibleClassChangeError.class, () -> recipe(Account.lookup(), READ, text));
    }
  }
}
