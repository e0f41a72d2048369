package dev.tigris.specializer;

import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.PatchRefusedException;
import dev.tigris.specializer.patch.TrustedKeys;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.FieldRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.constant.ClassDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.ref.WeakReference;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The agent that specializes classes as the JVM loads them. A class that carries a code patch gets
/// that patch applied. Rules rewrite every other class: the standard ones, or those of a file.
///
/// ```sh
/// java -javaagent:tigris-specializer.jar ...                        # patches of any origin
/// java -javaagent:tigris-specializer.jar=trust=a.pub:b.pub ...      # those that a or b signed
/// java -javaagent:tigris-specializer.jar=rules=app.rules ...        # other rules, for the rest
/// java -javaagent:tigris-specializer.jar=rules=app.rules,rule-path=rules.jar ...
/// java -javaagent:tigris-specializer.jar=rules=none ...             # patches alone
/// ```
///
/// The loaded bytes are exactly those that the specializer would have written. A class must not run
/// half specialized: if its patch is refused, or the rules find a problem in it, it fails to load
/// with a [ClassFormatError] that gives the reason. The JVM does not start if the agent would
/// change a class that was loaded before it, by an AOT cache or another agent.
public final class Agent {
  /// The specializer's own classes are loaded while it is at work on another, and so are the rules.
  private static final String OURS = "dev/tigris/specializer/";

  private Agent() {}

  /// Starts the agent; the JVM calls this for `-javaagent`. Any error ends the JVM with exit code 1
  /// and a message of one line, since the JVM would turn an exception into a crash.
  ///
  /// @param options null, or a list with commas: `trust=` and the files of public keys, `rules=`
  ///     and a [list of rules][RuleList] or `none`, `rule-path=` and the path of its modules
  public static void premain(@Nullable String options, Instrumentation instrumentation) {
    try {
      System.setProperty(Specializer.AT_LOAD, "true");
      AgentOptions given = AgentOptions.parse(options);
      // Loads what looks at every class, before the first one has to wait for it, and what takes
      // the place of one, before there may be no memory left for that.
      CodePatch.mayBeIn(FailingClass.NO_CLASS);
      // First of all: later it could not be told which classes were changed.
      Class<?>[] loaded = instrumentation.getAllLoadedClasses();
      Transformer transformer = new Transformer(given.keys(), given.rules());
      instrumentation.addTransformer(transformer);
      transformer.refuseLoaded(loaded);
    } catch (IOException | IllegalArgumentException | IllegalStateException e) {
      System.err.println("tigris agent: " + e.getMessage());
      System.exit(1);
    }
  }

  /// A class must not run as it is, and cannot be changed.
  private static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    RefusedException(String message) {
      super(message);
    }
  }

  /// Called by the JVM with each class that is being loaded, by any thread.
  static final class Transformer implements ClassFileTransformer {
    private final TrustedKeys keys;
    private final List<Rule> rules;
    private final boolean onlyPatches;

    /// One for each class loader, as a class's name means something to a loader only; it goes with
    /// the loader. Guarded by itself. Not a map, which would call the loader's equals and hashCode:
    /// these may wait for a thread that is loading a class.
    private final List<Known> loaders = new ArrayList<>();

    /// What is known of the classes that a loader finds. One that gives no class file of a class
    /// out leaves the rules in the dark: if that turns out to be a class of objects, either it or
    /// its user must not load, or the user would fail without an explanation.
    ///
    /// @param unseen classes that were asked for, and that it gave no class file of
    /// @param users the classes that it has loaded and that use one of these, by that one; what did
    ///     not load uses nothing
    /// @param objects classes of objects that it has loaded
    private record Known(
        WeakReference<ClassLoader> loader,
        ClassHierarchy hierarchy,
        Specializer specializer,
        Set<ClassDesc> unseen,
        Map<ClassDesc, Set<ClassDesc>> users,
        Set<ClassDesc> objects) {
      /// What a class file uses of the unseen: what it extends, and what it knows fields of.
      Set<ClassDesc> unseenIn(byte[] classFile) {
        if (unseen.isEmpty()) {
          return Set.of();
        }
        Set<ClassDesc> used = new HashSet<>();
        ClassModel model = ClassFile.of().parse(classFile);
        model.superclass().ifPresent(type -> used.add(type.asSymbol()));
        for (PoolEntry entry : model.constantPool()) {
          if (entry instanceof FieldRefEntry field) {
            used.add(field.owner().asSymbol());
          }
        }
        return used.stream()
            .flatMap(type -> hierarchy.missingFrom(type).stream())
            .filter(unseen::contains)
            .collect(Collectors.toSet());
      }
    }

    Transformer(TrustedKeys keys, List<Rule> rules) {
      this.keys = keys;
      this.rules = rules;
      this.onlyPatches = rules.isEmpty();
    }

    @Override
    public byte @Nullable [] transform(
        Module module,
        @Nullable ClassLoader loader,
        @Nullable String name,
        @Nullable Class<?> redefined,
        @Nullable ProtectionDomain domain,
        byte[] classFile) {
      try {
        return changed(loader, name, classFile);
      } catch (PatchRefusedException | RefusedException e) {
        return FailingClass.of(name, String.valueOf(e.getMessage()));
      } catch (Throwable e) {
        // Whatever it was: if it got out, the JVM would load the class unspecialized.
        return FailingClass.of(name, "cannot specialize the class: " + e);
      }
    }

    /// The new class file; null if the class stays as it is.
    private byte @Nullable [] changed(
        @Nullable ClassLoader loader, @Nullable String name, byte[] classFile)
        throws PatchRefusedException, RefusedException {
      // The JDK's own classes carry no patch, and have no fields of ours. Where there are no rules,
      // nearly all others go no further either, and as a program starts, each call counts.
      if (loader == null || (onlyPatches && !CodePatch.mayBeIn(classFile))) {
        return null;
      }
      if (isOurs(loader, name)) {
        return null;
      }
      Optional<byte[]> patched = CodePatch.apply(classFile, keys);
      return patched.isPresent() || rules.isEmpty()
          ? patched.orElse(null)
          : specialize(loader, name, classFile);
    }

    private static boolean isOurs(ClassLoader loader, @Nullable String name) {
      return (name != null && name.startsWith(OURS)) || loader instanceof RuleModules.RuleLoader;
    }

    /// Refuses classes that were loaded as they were compiled although a patch or a rule applies to
    /// them.
    void refuseLoaded(Class<?>... loaded) {
      for (Class<?> type : loaded) {
        ClassLoader loader = type.getClassLoader();
        String name = type.getName().replace('.', '/');
        if (loader == null || type.isArray() || type.isHidden() || isOurs(loader, name)) {
          continue;
        }
        String why = null;
        try {
          byte[] classFile = classFile(ClassDesc.of(type.getName()), loader);
          if (classFile != null && changed(loader, name, classFile) != null) {
            why = "it is as it was compiled";
          }
        } catch (PatchRefusedException | RefusedException e) {
          why = e.getMessage();
        } catch (RuntimeException e) { // no class that was compiled for us
          System.getLogger(Agent.class.getName())
              .log(System.Logger.Level.DEBUG, "cannot look at " + type.getName(), e);
        }
        if (why != null) {
          throw new IllegalStateException(
              ("%s was loaded before this agent, by an AOT cache or by another agent, "
                      + "and can no longer be changed (%s). Make the cache with this agent and "
                      + "these options, or turn it off (-XX:AOTMode=off). Name this agent "
                      + "before others, or specialize when building")
                  .formatted(type.getName(), why));
        }
      }
    }

    private byte @Nullable [] specialize(
        ClassLoader loader, @Nullable String name, byte[] classFile) throws RefusedException {
      Known known = known(loader);
      Specialized result = known.specializer.specialize(classFile);
      if (!result.problems().isEmpty()) {
        throw new RefusedException(result.problems().getFirst().toString());
      }
      ClassDesc type = name == null ? null : ClassDesc.ofInternalName(name);
      Optional<ClassDesc> dark =
          type == null ? Optional.empty() : inTheDark(type, classFile, known, loader);
      if (type != null && dark.isPresent()) {
        known.users.values().forEach(users -> users.remove(type)); // as it does not load
        throw new RefusedException(why(dark.get()));
      }
      return result.changed() ? result.bytes() : null;
    }

    /// The class of objects that leaves a class in the dark that is being loaded: one that it uses,
    /// or itself.
    private Optional<ClassDesc> inTheDark(
        ClassDesc type, byte[] classFile, Known known, ClassLoader loader) {
      // Each says what it is before it looks for others: what is loaded meanwhile does the same.
      Set<ClassDesc> unseen = known.unseenIn(classFile);
      for (ClassDesc each : unseen) {
        known.users.computeIfAbsent(each, _ -> ConcurrentHashMap.newKeySet()).add(type);
      }
      boolean isObject = known.hierarchy.isPso(type);
      if (isObject) {
        known.objects.add(type);
      }
      Optional<ClassDesc> used =
          unseen.stream().filter(each -> isObject(each, known, type)).findFirst();
      return used.isEmpty() && isObject && isUsedUnseen(type, loader) ? Optional.of(type) : used;
    }

    private Known known(ClassLoader loader) {
      synchronized (loaders) {
        loaders.removeIf(each -> each.loader.refersTo(null));
        for (Known each : loaders) {
          if (each.loader.refersTo(loader)) {
            return each;
          }
        }
        WeakReference<ClassLoader> of = new WeakReference<>(loader);
        Set<ClassDesc> unseen = ConcurrentHashMap.newKeySet();
        var hierarchy = new ClassHierarchy(source(of, unseen));
        Known known =
            new Known(
                of,
                hierarchy,
                new Specializer(hierarchy, rules),
                unseen,
                new ConcurrentHashMap<>(),
                ConcurrentHashMap.newKeySet());
        loaders.add(known);
        return known;
      }
    }

    /// The class files that a loader finds, which it finds without loading a class.
    private static ClassSource source(WeakReference<ClassLoader> loader, Set<ClassDesc> unseen) {
      return type -> {
        ClassLoader of = loader.get();
        byte[] found = of == null ? null : classFile(type, of);
        if (found == null) {
          unseen.add(type);
        }
        return found;
      };
    }

    private static byte @Nullable [] classFile(ClassDesc type, ClassLoader of) {
      try (InputStream in = of.getResourceAsStream(ClassSource.pathOf(type))) {
        return in == null ? null : in.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read class " + type.displayName(), e);
      }
    }

    /// Whether a class of objects, which `defining` loads, is one that another class uses and could
    /// not be specialized for.
    private boolean isUsedUnseen(ClassDesc type, ClassLoader defining) {
      return known(each -> each.users.containsKey(type)).stream()
          .anyMatch(
              each ->
                  each.users.getOrDefault(type, Set.of()).stream()
                      .anyMatch(user -> mayMean(each, user, type, defining)));
    }

    /// Whether a class that is being loaded may mean by a name a class of objects that is.
    private boolean isObject(ClassDesc type, Known by, ClassDesc user) {
      return known(each -> each.objects.contains(type)).stream()
          .map(each -> each.loader.get())
          .anyMatch(defining -> defining != null && mayMean(by, user, type, defining));
    }

    /// Those of the loaders that something is known of. They are asked for no class meanwhile.
    private List<Known> known(Predicate<Known> what) {
      synchronized (loaders) {
        return loaders.stream().filter(what).toList();
      }
    }

    /// Whether a class that a loader has loaded may mean by a name the class that `defining` loads,
    /// which can be a parent. A loader that has loaded a class of this name itself does not mean
    /// another one's. And one that has loaded the user, where its parent has such a class as well,
    /// does not ask its parent first.
    @SuppressWarnings("ReferenceEquality") // the very loader is meant
    private static boolean mayMean(Known by, ClassDesc user, ClassDesc type, ClassLoader defining) {
      ClassLoader loader = by.loader.get();
      return loader == defining
          || (asks(loader, defining)
              && by.hierarchy.isMissing(type)
              && classFile(user, defining) == null);
    }

    /// Whether a loader is another one, or has it among its parents.
    @SuppressWarnings("ReferenceEquality") // the very loader is meant
    private static boolean asks(@Nullable ClassLoader loader, @Nullable ClassLoader other) {
      ClassLoader at = loader;
      while (at != null && at != other) {
        at = at.getParent();
      }
      return at != null;
    }

    private static String why(ClassDesc type) {
      return "the class loader of a class that uses such objects does not give out %s, so the user"
              .formatted(ClassSource.pathOf(type))
          + " cannot be specialized as it is loaded: run `tigris specialize` on both";
    }
  }
}
