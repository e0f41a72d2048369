import java.io.IOException;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// Raises classes of a jar that were compiled for Java 5 to the version of today, in place.
///
/// The JVM's AOT cache leaves such old classes out, since they lack the stack maps that let it
/// store them as verified. picocli's are such, and they were most of the start-up time of the
/// tigris command. This computes the stack maps; it changes no instruction. The launcher runs it
/// from source, once per build.
public final class RaiseClassVersion {
  /// The first version whose classes the AOT cache takes (Java 6).
  private static final int FIRST_WITH_STACK_MAPS = ClassFile.JAVA_6_VERSION;

  public static void main(String[] args) throws IOException {
    for (String jar : args) {
      raise(Path.of(jar));
    }
  }

  private static void raise(Path jar) throws IOException {
    try (URLClassLoader names = new URLClassLoader(new URL[] {jar.toUri().toURL()});
        FileSystem zip = FileSystems.newFileSystem(jar);
        Stream<Path> walk = Files.walk(zip.getPath("/"))) {
      ClassFile classFile =
          ClassFile.of(
              StackMapsOption.GENERATE_STACK_MAPS,
              ClassHierarchyResolverOption.of(
                  ClassHierarchyResolver.ofResourceParsing(names)
                      .orElse(ClassHierarchyResolver.defaultResolver())));
      List<Path> classes = walk.filter(path -> path.toString().endsWith(".class")).toList();
      for (Path path : classes) {
        var model = classFile.parse(Files.readAllBytes(path));
        if (model.majorVersion() < FIRST_WITH_STACK_MAPS) {
          Files.write(path, classFile.transformClass(model, RaiseClassVersion::raise));
        }
      }
    }
  }

  private static void raise(ClassBuilder builder, ClassElement element) {
    switch (element) {
      case ClassFileVersion old -> builder.withVersion(ClassFile.JAVA_25_VERSION, 0);
      case MethodModel method ->
          builder.transformMethod(method, MethodTransform.transformingCode(CodeBuilder::with));
      default -> builder.with(element);
    }
  }
}
