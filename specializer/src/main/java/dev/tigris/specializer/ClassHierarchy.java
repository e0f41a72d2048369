package dev.tigris.specializer;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassHierarchyResolver.ClassHierarchyInfo;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Answers questions about superclasses and fields from class files, without loading a class. It
/// remembers what it has read, and may be used by several threads.
public final class ClassHierarchy {
  private final ClassSource source;
  private final @Nullable ClassHierarchy beyond;
  private final Map<ClassDesc, Optional<ClassInfo>> known = new ConcurrentHashMap<>();
  private final LongAdder learnedLate = new LongAdder();

  /// A hierarchy of the classes in `source`.
  public ClassHierarchy(ClassSource source) {
    this(source, null);
  }

  private ClassHierarchy(ClassSource source, @Nullable ClassHierarchy beyond) {
    this.source = source;
    this.beyond = beyond;
  }

  /// The classes in `nearer`, and of other names those of this hierarchy.
  ClassHierarchy seeing(ClassSource nearer) {
    return new ClassHierarchy(nearer, this);
  }

  /// Finds a class by name. The result is empty if the source does not have it or has it damaged,
  /// or if the name is not that of a class.
  public Optional<ClassInfo> find(ClassDesc type) {
    if (!type.isClassOrInterface()) {
      return Optional.empty();
    }
    // Not computeIfAbsent: reading takes long, and to read a class twice is harmless.
    Optional<ClassInfo> info = known.get(type);
    if (info == null) {
      byte[] bytes = source.find(type);
      if (bytes == null && beyond != null) {
        return beyond.find(type);
      }
      info = bytes == null ? Optional.empty() : read(bytes);
      Optional<ClassInfo> learned = known.putIfAbsent(type, info); // another one, or learned
      return learned == null ? info : learned;
    }
    return info;
  }

  /// A class file that is damaged is as good as none: no JVM loads the class.
  private static Optional<ClassInfo> read(byte[] classFile) {
    try {
      return Optional.of(ClassInfo.of(ClassFile.of().parse(classFile)));
    } catch (RuntimeException damaged) { // of many kinds: the library reads as late as it can
      return Optional.empty();
    }
  }

  /// The classes that were asked for and not found, or found damaged, the JDK's own apart. What the
  /// rules say of them and of their subclasses may be wrong.
  public List<ClassDesc> missing() {
    return known.entrySet().stream()
        .filter(entry -> entry.getValue().isEmpty())
        .map(Map.Entry::getKey)
        .sorted(Comparator.comparing(ClassDesc::descriptorString))
        .toList();
  }

  /// The first of a class and its superclasses that is not found, up to `Pso` and the JDK's own:
  /// without it, whether the class is one of pre-serialized objects is unknown.
  Optional<ClassDesc> missingFrom(ClassDesc type) {
    Set<ClassDesc> passed = new HashSet<>();
    ClassDesc at = type;
    while (at.isClassOrInterface()
        && !at.packageName().startsWith("java.")
        && !at.equals(MemoryNames.PSO)
        && passed.add(at)) {
      Optional<ClassInfo> info = find(at);
      if (info.isEmpty()) {
        return Optional.of(at);
      }
      at = info.get().superclass().orElse(MemoryNames.PSO);
    }
    return Optional.empty();
  }

  /// Whether it was asked for in vain, and has not been learned since. Does not ask the source.
  boolean isMissing(ClassDesc type) {
    Optional<ClassInfo> info = known.get(type);
    return info != null && info.isEmpty();
  }

  /// Whether it was learned or the source has it. To ask this is not to have asked for it in vain.
  private boolean has(ClassDesc type) {
    Optional<ClassInfo> info = known.get(type);
    return info == null ? source.find(type) != null : info.isPresent();
  }

  /// Records a class that is being specialized, whether or not the source has it.
  void learn(ClassInfo info) {
    if (beyond != null && !beyond.has(info.name())) {
      beyond.learn(info);
    }
    Optional<ClassInfo> before = known.put(info.name(), Optional.of(info));
    if (before != null && before.isEmpty()) {
      learnedLate.increment();
    }
  }

  /// The number of classes that were learned after a caller had asked for them in vain: decisions
  /// made meanwhile may be wrong. Each is counted once, as it is known from then on.
  long learnedLate() {
    return learnedLate.sum();
  }

  /// Whether `type` is `ancestor` or one of its subclasses. A chain that leaves the source, or goes
  /// round in a circle as no JVM would allow, counts as no.
  public boolean isSubclass(ClassDesc type, ClassDesc ancestor) {
    Set<ClassDesc> passed = new HashSet<>();
    ClassDesc at = type;
    while (!at.equals(ancestor)) {
      Optional<ClassDesc> up = find(at).flatMap(ClassInfo::superclass);
      if (up.isEmpty() || !passed.add(at)) {
        return false;
      }
      at = up.get();
    }
    return true;
  }

  /// Whether `type` is a class of pre-serialized objects, which `Pso` itself is not.
  public boolean isPso(ClassDesc type) {
    // Not worth reading: the JDK's classes are the most mentioned of all.
    if (type.packageName().startsWith("java.")) {
      return false;
    }
    return !type.equals(MemoryNames.PSO) && isSubclass(type, MemoryNames.PSO);
  }

  /// Whether what refers to objects of a class keeps them: it, or a superclass, says so or has a
  /// field that stays in the Java object, apart from those that the specializer adds.
  boolean hasIdentity(ClassDesc type) {
    Set<ClassDesc> passed = new HashSet<>();
    ClassDesc at = type;
    while (!at.equals(MemoryNames.PSO) && passed.add(at)) {
      if (MemoryNames.VARYING.contains(at)) {
        return true; // the stand-ins for those, in MemoryTypes, have no fields to tell
      }
      Optional<ClassInfo> info = find(at);
      if (info.isEmpty()) {
        return true; // it may be
      }
      if (info.get().isIdentity() || info.get().fields().stream().anyMatch(FieldInfo::isHeapOnly)) {
        return true;
      }
      at = info.get().superclass().orElse(MemoryNames.PSO);
    }
    return false;
  }

  /// Finds the field that an instruction means, as the JVM does (JVMS 5.4.3.2): in the class, its
  /// superinterfaces, then its superclass.
  public Optional<FieldInfo> resolveField(ClassDesc owner, String name, ClassDesc type) {
    // Each class once, and without recursion: there may be circles, and any number of classes.
    Set<ClassDesc> passed = new HashSet<>();
    Deque<ClassDesc> next = new ArrayDeque<>(List.of(owner));
    while (!next.isEmpty()) {
      ClassDesc at = next.pop();
      Optional<ClassInfo> info = passed.add(at) ? find(at) : Optional.empty();
      if (info.isEmpty()) {
        continue;
      }
      for (FieldInfo field : info.get().fields()) {
        if (field.name().equals(name) && field.type().equals(type)) {
          return Optional.of(field);
        }
      }
      info.get().superclass().ifPresent(next::push);
      info.get().interfaces().reversed().forEach(next::push);
    }
    return Optional.empty();
  }

  /// The same hierarchy in the form in which the class-file library asks for it.
  ClassHierarchyResolver resolver() {
    return this::resolve;
  }

  private @Nullable ClassHierarchyInfo resolve(ClassDesc type) {
    if (type.equals(ConstantDescs.CD_Object)) {
      return ClassHierarchyResolver.defaultResolver().getClassInfo(type);
    }
    Optional<ClassInfo> info = find(type);
    if (info.isEmpty() && type.isClassOrInterface()) {
      throw new MissingClassException(type);
    }
    // The library follows superclasses to their end.
    boolean circle =
        info.flatMap(ClassInfo::superclass).map(up -> isSubclass(up, type)).orElse(false);
    return info.filter(_ -> !circle)
        .map(
            found ->
                found.isInterface()
                    ? ClassHierarchyInfo.ofInterface()
                    : ClassHierarchyInfo.ofClass(
                        found.superclass().orElse(ConstantDescs.CD_Object)))
        .orElse(null);
  }
}
