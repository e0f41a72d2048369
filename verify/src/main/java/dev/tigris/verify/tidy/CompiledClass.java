package dev.tigris.verify.tidy;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.SourceFileAttribute;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.lang.classfile.instruction.LineNumber;
import java.nio.file.Path;
import java.util.IntSummaryStatistics;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// A class file together with where it comes from.
///
/// @param module the folder of its Maven module
/// @param test whether it is test code
/// @param sources the folder of the sources it was compiled from
public record CompiledClass(String module, boolean test, ClassModel model, Path sources) {

  /// The full name, such as `dev.tigris.memory.Jbuf$State`.
  public String name() {
    return model.thisClass().asInternalName().replace('/', '.');
  }

  /// The name without the package and the enclosing classes.
  public String simpleName() {
    String name = name();
    return name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
  }

  /// The package's name.
  public String packageName() {
    String name = name();
    return name.substring(0, Math.max(0, name.lastIndexOf('.')));
  }

  /// The source file that the class file names.
  public Path source() {
    String file =
        model
            .findAttribute(Attributes.sourceFile())
            .map(SourceFileAttribute::sourceFile)
            .map(Utf8Entry::stringValue)
            .orElse("?");
    return sources.resolve(packageName().replace('.', '/')).resolve(file);
  }

  /// The full names of the classes that this one mentions.
  Stream<String> mentionedClasses() {
    return constants(ClassEntry.class)
        .map(ClassEntry::asInternalName)
        .map(name -> name.replaceFirst("^\\[+L?", "").replace(";", "").replace('/', '.'));
  }

  /// The methods and fields that this class uses, such as `java.lang.System.exit`.
  Stream<String> usedMembers() {
    return constants(MemberRefEntry.class)
        .map(
            member ->
                member.owner().asInternalName().replace('/', '.')
                    + "."
                    + member.name().stringValue());
  }

  /// How many source lines a method spans. Of constructors and initialisers, whose code comes from
  /// all over the class, the number of lines that have code.
  static int lines(MethodModel method) {
    IntStream numbers =
        method.code().stream()
            .flatMap(CodeModel::elementStream)
            .filter(LineNumber.class::isInstance)
            .mapToInt(element -> ((LineNumber) element).line());
    if (method.methodName().stringValue().startsWith("<")) {
      return (int) numbers.distinct().count();
    }
    IntSummaryStatistics span = numbers.summaryStatistics();
    return span.getCount() == 0 ? 0 : span.getMax() - span.getMin() + 1;
  }

  private <T> Stream<T> constants(Class<T> kind) {
    return StreamSupport.stream(model.constantPool().spliterator(), false)
        .filter(kind::isInstance)
        .map(kind::cast);
  }
}
