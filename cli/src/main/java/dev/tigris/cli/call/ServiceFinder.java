package dev.tigris.cli.call;

import dev.tigris.message.call.Service;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.attribute.RuntimeVisibleAnnotationsAttribute;
import java.lang.constant.ClassDesc;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/// Finds the interface of a service on a class path, by the name that the server knows it by.
public final class ServiceFinder {
  private static final ClassDesc SERVICE = ClassDesc.of(Service.class.getName());
  private static final String CLASS_FILE = ".class";

  private final ClassLoader loader;
  private final List<Path> places;

  /// Makes one that loads the classes of folders and jars.
  public ServiceFinder(ClassLoader loader, List<Path> places) {
    this.loader = loader;
    this.places = List.copyOf(places);
  }

  /// Returns the interface of a service.
  ///
  /// @param service its name, or that of its class
  /// @throws CallInputException if it is not found, or there are several
  public Class<?> find(String service) throws IOException, CallInputException {
    SortedSet<String> names = new TreeSet<>();
    for (Path place : places) {
      try {
        if (Files.isDirectory(place)) {
          searchFolder(place, service, names);
        } else {
          searchJar(place, service, names);
        }
      } catch (UncheckedIOException e) {
        throw e.getCause();
      }
    }
    if (names.size() != 1) {
      String where = places.stream().map(Path::toString).collect(Collectors.joining(", "));
      throw new CallInputException(
          names.isEmpty()
              ? "there is no interface marked @Service of the name '%s' in %s: name its place with --classpath"
                  .formatted(service, where)
              : "there are several services '%s': name one of the classes %s"
                  .formatted(service, names));
    }
    try {
      return Class.forName(names.first(), false, loader);
    } catch (ClassNotFoundException | LinkageError e) {
      throw new CallInputException(
          "%s cannot be loaded (%s): name with --classpath everything that it is made of"
              .formatted(names.first(), e),
          e);
    }
  }

  /// Returns a method of a service.
  ///
  /// @throws CallInputException if it has none of the name
  public static Method method(Class<?> service, String name) throws CallInputException {
    List<Method> all =
        Arrays.stream(service.getMethods())
            .filter(each -> Modifier.isAbstract(each.getModifiers()))
            .toList();
    return all.stream()
        .filter(each -> each.getName().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new CallInputException(
                    "%s has no method '%s', but %s"
                        .formatted(
                            service.getName(), name, all.stream().map(Method::getName).toList())));
  }

  /// Returns a lookup that finds the members of a class of the program's.
  ///
  /// @throws IllegalAccessException if the class is not the program's, and not public
  public static MethodHandles.Lookup lookup(Class<?> type) throws IllegalAccessException {
    Module its = type.getModule();
    if (its.isNamed() && Modifier.isPublic(type.getModifiers())) {
      return MethodHandles.publicLookup();
    }
    ServiceFinder.class.getModule().addReads(its);
    return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
  }

  private static void searchFolder(Path folder, String service, SortedSet<String> names)
      throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = file.toString();
        if (name.endsWith(CLASS_FILE)) {
          look(Files.readAllBytes(file), service, names);
        } else if (name.endsWith(".jar") && folder.equals(file.getParent())) {
          searchJar(file, service, names);
        }
      }
    }
  }

  private static void searchJar(Path jar, String service, SortedSet<String> names)
      throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : (Iterable<ZipEntry>) zip.stream().map(ZipEntry.class::cast)::iterator) {
        if (entry.getName().endsWith(CLASS_FILE) && !entry.getName().startsWith("META-INF")) {
          try (InputStream in = zip.getInputStream(entry)) {
            look(in.readAllBytes(), service, names);
          }
        }
      }
    }
  }

  /// Notes a class if it is the one.
  private static void look(byte[] bytes, String service, SortedSet<String> names) {
    try {
      ClassModel model = ClassFile.of().parse(bytes);
      if ((model.flags().flagsMask() & ClassFile.ACC_INTERFACE) == 0) {
        return;
      }
      String name = model.thisClass().asInternalName().replace('/', '.');
      for (Annotation each :
          model
              .findAttribute(Attributes.runtimeVisibleAnnotations())
              .map(RuntimeVisibleAnnotationsAttribute::annotations)
              .orElse(List.of())) {
        if (each.classSymbol().equals(SERVICE)
            && (name.equals(service) || name(name, each).equals(service))) {
          names.add(name);
        }
      }
    } catch (IllegalArgumentException _) { // no class file, whatever its name says
    }
  }

  private static String name(String className, Annotation service) {
    for (AnnotationElement element : service.elements()) {
      if (element.value() instanceof AnnotationValue.OfString its && !its.stringValue().isEmpty()) {
        return its.stringValue();
      }
    }
    return className.substring(
        Math.max(className.lastIndexOf('.'), className.lastIndexOf('$')) + 1);
  }
}
