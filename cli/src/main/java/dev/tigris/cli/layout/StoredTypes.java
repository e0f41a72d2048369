package dev.tigris.cli.layout;

import dev.tigris.memory.FieldKind;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoArray;
import dev.tigris.memory.PsoCollection;
import dev.tigris.memory.PsoField;
import dev.tigris.memory.PsoLayout;
import dev.tigris.memory.PsoList;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.schema.Schema;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/// Classes of objects and enums, together with all that their fields lead to.
///
/// They are loaded and never initialized: no code of theirs runs, and they need not be specialized.
///
/// @param named the classes that were asked for, and what containers of them state
/// @param layouts of the classes, each one behind those whose objects lie in its own
/// @param enums the enums that their fields are of
public record StoredTypes(
    Map<Class<?>, Fingerprints> named, List<PsoLayout> layouts, List<StoredEnum> enums) {
  /// The collections, whose layout is part of the format. Any container's root may be one.
  private static final List<Class<? extends Pso>> COLLECTIONS =
      List.of(PsoArray.class, PsoList.class, PsoTable.class);

  /// The fingerprints of the schemas of containers whose root is an object of a class, a list of
  /// such objects or a table of them.
  public record Fingerprints(long object, long list, long table) {
    private static Fingerprints of(Class<? extends Pso> type) {
      return new Fingerprints(
          Schema.of(type).fingerprint(),
          Schema.ofList(type).fingerprint(),
          Schema.ofTable(type).fingerprint());
    }

    /// Returns the fingerprints by the kind of root.
    Map<String, Long> byRoot() {
      var all = new LinkedHashMap<String, Long>();
      all.put("object", object);
      all.put("list", list);
      all.put("table", table);
      return all;
    }
  }

  /// An enum and the numbers that are stored for its constants.
  ///
  /// @param codes what stands for each constant, in the order of their declaration; 0 is null
  public record StoredEnum(Class<?> type, Map<String, Integer> codes) {}

  /// Loads the classes of these names, with all that their fields lead to.
  ///
  /// @param names their full names
  /// @param places the folders and jars to look for them; a folder that holds jars stands for them
  ///     too
  /// @throws LayoutException if a class is not found or cannot be stored
  public static StoredTypes load(List<String> names, List<Path> places)
      throws IOException, LayoutException {
    ClassLoader ours = StoredTypes.class.getClassLoader();
    try (var loader = new URLClassLoader("user classes", urls(places), ours)) {
      var search = new Search();
      var named = new LinkedHashMap<Class<?>, Fingerprints>();
      for (String name : names) {
        Class<? extends Pso> type = named(name, loader, places);
        named.put(type, search.include(type));
      }
      return new StoredTypes(named, List.copyOf(search.layouts), List.copyOf(search.enums));
    }
  }

  /// Returns the places for a class loader, with the jars of folders.
  ///
  /// @throws LayoutException if one does not exist, or is neither a folder nor a jar
  public static URL[] urls(List<Path> places) throws IOException, LayoutException {
    var urls = new ArrayList<URL>();
    for (Path place : places) {
      if (!Files.exists(place)) {
        throw new LayoutException(
            "'%s', where the classes should be, does not exist: compile them, or name their place with --classpath"
                .formatted(place));
      }
      urls.add(place.toUri().toURL());
      if (!Files.isDirectory(place)) {
        requireJar(place);
      } else {
        for (Path jar : jars(place)) {
          urls.add(jar.toUri().toURL());
        }
      }
    }
    return urls.toArray(URL[]::new);
  }

  private static List<Path> jars(Path folder) throws IOException, LayoutException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    } catch (AccessDeniedException e) {
      throw new LayoutException(
          "'%s' cannot be read: its permissions forbid it".formatted(folder), e);
    }
  }

  /// The class loader passes over what it cannot open, and would wait for what a pipe may bring.
  private static void requireJar(Path place) throws LayoutException {
    if (!Files.isRegularFile(place)) {
      throw new LayoutException(
          "'%s' is a pipe or a device: name folders and jars with --classpath".formatted(place));
    }
    try {
      new ZipFile(place.toFile()).close();
    } catch (IOException e) {
      throw new LayoutException(
          "%s is not a folder, and cannot be opened as a jar (%s): name folders and jars with --classpath"
              .formatted(place, e.getMessage()),
          e);
    }
  }

  private static Class<? extends Pso> named(String name, ClassLoader loader, List<Path> places)
      throws LayoutException {
    Class<?> found = null;
    // A nested class is app.Outer$Inner for the JVM, and app.Outer.Inner for whoever writes it.
    String binaryName = name.replace('/', '.');
    for (int dot = binaryName.length(); found == null && dot >= 0; ) {
      found = find(binaryName, name, loader);
      dot = binaryName.lastIndexOf('.');
      if (dot >= 0) {
        binaryName = binaryName.substring(0, dot) + "$" + binaryName.substring(dot + 1);
      }
    }
    if (found == null) {
      throw new LayoutException(
          "there is no class '%s' in %s: give its full name, such as app.Trade, and its place with --classpath"
              .formatted(
                  name, places.stream().map(Path::toString).collect(Collectors.joining(", "))));
    }
    if (found == Pso.class || !Pso.class.isAssignableFrom(found)) {
      throw new LayoutException(
          "%s is not a subclass of %s, so its objects cannot lie in a container"
              .formatted(found.getName(), Pso.class.getName()));
    }
    if (COLLECTIONS.contains(found) || found == PsoCollection.class) {
      throw new LayoutException(
          "%s is printed with every class: name a class of your own".formatted(found.getName()));
    }
    return found.asSubclass(Pso.class);
  }

  private static @Nullable Class<?> find(String binaryName, String name, ClassLoader loader)
      throws LayoutException {
    try {
      return Class.forName(binaryName, false, loader);
    } catch (ClassNotFoundException e) {
      return null;
    } catch (LinkageError e) {
      throw cannotLoad(name, e);
    }
  }

  private static LayoutException cannotLoad(String name, Throwable cause) {
    String advice =
        switch (cause) {
          case UnsupportedClassVersionError _ ->
              "compile it with --release " + Runtime.version().feature();
          case ClassFormatError _ -> "its file is damaged, so compile it again";
          default -> "name with --classpath everything that it is made of";
        };
    return new LayoutException(
        "%s cannot be loaded (%s): %s".formatted(name, cause, advice), cause);
  }

  /// Returns the names of the classes that were asked for, for a heading.
  String heading() {
    return named.keySet().stream().map(Class::getName).collect(Collectors.joining(" "));
  }

  /// What a program needs that has containers of such objects: the collections, and the layouts.
  List<PsoLayout> layoutsForPrograms() {
    return Stream.concat(
            COLLECTIONS.stream().map(PsoLayout::of),
            layouts.stream().filter(layout -> !COLLECTIONS.contains(layout.type())))
        .toList();
  }

  /// Collects what fields lead to.
  private static final class Search {
    private final List<PsoLayout> layouts = new ArrayList<>();
    private final List<StoredEnum> enums = new ArrayList<>();
    private final Set<Class<?>> seen = new HashSet<>();
    private final Queue<Class<? extends Pso>> referenced = new ArrayDeque<>();

    Fingerprints include(Class<? extends Pso> type) throws LayoutException {
      try {
        referenced.add(type);
        while (!referenced.isEmpty()) {
          add(referenced.remove());
        }
        return Fingerprints.of(type);
      } catch (IllegalArgumentException e) {
        throw new LayoutException(String.valueOf(e.getMessage()), e);
      } catch (LinkageError | TypeNotPresentException e) {
        throw cannotLoad(type.getName(), e);
      }
    }

    /// Objects that lie in others are the only ones that must come first, and no object lies in
    /// itself; references may lead round in circles.
    private void add(Class<? extends Pso> type) throws LayoutException {
      if (!seen.add(type)) {
        return;
      }
      PsoLayout layout = PsoLayout.of(type);
      for (PsoField field : layout.fields()) {
        switch (field.kind()) {
          case FieldKind.Nested(Class<? extends Pso> inner, int _) -> add(inner);
          case FieldKind.Reference(Class<? extends Pso> target, var element) -> {
            referenced.add(target);
            if (element != null) {
              referenced.add(element);
            }
          }
          case FieldKind.Constant(Class<? extends Enum<?>> constants) -> addEnum(constants);
          case FieldKind.Value _, FieldKind.Text _, FieldKind.Array _ -> {}
        }
      }
      layouts.add(layout);
    }

    /// Asking an enum for its constants would run its initializer; their names are enough.
    private void addEnum(Class<?> type) throws LayoutException {
      if (!seen.add(type)) {
        return;
      }
      var codes = new LinkedHashMap<String, Integer>();
      for (Field field : type.getDeclaredFields()) {
        if (field.isEnumConstant()) {
          int code = field.getName().hashCode();
          if (code == 0 || codes.containsValue(code)) {
            throw new LayoutException(
                "%s.%s cannot be stored: the hash code of its name is 0 or another constant's."
                        .formatted(type.getName(), field.getName())
                    + " Rename it");
          }
          codes.put(field.getName(), code);
        }
      }
      enums.add(new StoredEnum(type, codes));
    }
  }
}
