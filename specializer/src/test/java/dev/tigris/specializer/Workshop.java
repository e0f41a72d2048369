package dev.tigris.specializer;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A folder of compiled classes and a specializer for them.
final class Workshop implements AutoCloseable {
  /// A class of objects with a field of every kind that matters.
  static final String TRADE =
      """
      package app;
      import dev.tigris.memory.*;
      public class Trade extends Pso {
        public long id;
        protected int quantity;
        private boolean open;
        public Trade next;
        @HeapOnly public String note;
        public static int made;
        public Trade(Container container) { super(container); quantity = 1; made++; }
        Runnable opener() { return () -> open = true; }
        class Watcher { boolean look() { return open; } }
      }
      """;

  final Javac javac;
  final ClassPath classPath;
  final Specializer specializer;

  Workshop(Path temporary) throws IOException {
    javac = new Javac(Files.createDirectories(temporary.resolve("classes")));
    classPath = new ClassPath(List.of(javac.folder()));
    specializer = new Specializer(new ClassHierarchy(classPath), Rule.standard());
  }

  byte[] bytes(String name) throws IOException {
    return Files.readAllBytes(javac.folder().resolve(name + ".class"));
  }

  Specialized specialize(String name) throws IOException {
    return specializer.specialize(bytes(name));
  }

  Report specializeAll() throws IOException {
    return specializeAll(new Delivery.Rewritten());
  }

  Report specializeAll(Delivery delivery) throws IOException {
    return ClassFiles.specialize(List.of(javac.folder()), specializer, delivery);
  }

  /// The field instructions and our call sites of a method, in order.
  static List<String> accesses(byte[] classFile, String method) {
    List<String> accesses = new ArrayList<>();
    for (MethodModel candidate : ClassFile.of().parse(classFile).methods()) {
      if (candidate.methodName().equalsString(method)) {
        for (CodeElement element : candidate.code().orElseThrow()) {
          if (element instanceof FieldInstruction field) {
            accesses.add(field.opcode() + " " + field.name().stringValue());
          } else if (element instanceof InvokeDynamicInstruction site
              && site.bootstrapMethod().owner().equals(MemoryNames.LINKAGE)) {
            String call = site.name().stringValue() + site.typeSymbol().displayDescriptor();
            List<?> arguments = site.bootstrapArgs();
            accesses.add(arguments.isEmpty() ? call : call + " " + arguments.getLast());
          }
        }
      }
    }
    return accesses;
  }

  @Override
  public void close() {
    classPath.close();
  }
}
