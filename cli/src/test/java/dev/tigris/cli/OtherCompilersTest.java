package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.cli.Document.Block;
import dev.tigris.testing.Slow;
import dev.tigris.testing.process.Jvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Specializes and runs what docs/building.md shows in Kotlin and with Lombok.
@Slow("starts the compiler of Kotlin")
class OtherCompilersTest {
  private static final String KOTLIN_MAIN =
      """
      package app

      import dev.tigris.memory.*

      fun main() {
          val container = Jbuf.allocate(1 shl 16).asContainer()
          val order = Order(container)
          order.quantity = 5
          order.quantity += 2
          order.symbol.set("TIG")
          try {
              println(order.customer)
          } catch (e: UninitializedPropertyAccessException) {
              println("no customer")
          }
          order.customer = Customer(container)
          order.customer.number = 9
          order.next = Order(container)
          println("${order.quantity} ${order.symbol} ${order.customer.number} ${order.next?.quantity}")
          container.root(order)
          println(container.root(Order::class.java))
      }
      """;

  private static final String LOMBOK_MAIN =
      """
      package app;

      import dev.tigris.memory.*;

      public class Main {
        public static void main(String[] arguments) {
          Container container = Jbuf.allocate(1 << 16).asContainer();
          Order order = new Order(container);
          order.setQuantity(7);
          order.getSymbol().set("TIG");
          order.setNext(new Order(container));
          container.root(order);
          System.out.println(container.root(Order.class));
        }
      }
      """;

  @TempDir private Path folder;

  /// The jars of a compiler, which only a run of the slow tests has.
  private static String jars(String name) {
    String found =
        Jvm.classPath().stream()
            .filter(jar -> String.valueOf(jar.getFileName()).matches(name))
            .map(Path::toString)
            .collect(Collectors.joining(File.pathSeparator));
    assumeTrue(!found.isEmpty(), "there is no jar like " + name + ": use -Pslow");
    return found;
  }

  private static String documented(String language, String word) throws IOException {
    return Document.of("docs/building.md").blocks().stream()
        .filter(block -> block.language().equals(language) && block.code().contains(word))
        .map(Block::code)
        .findFirst()
        .orElseThrow();
  }

  private Path source(String name, String code) throws IOException {
    return Files.writeString(folder.resolve(name), code);
  }

  private void specialize(String classPath) {
    Shell.Result done = new Shell(folder).run("specialize @/classes -cp " + classPath);
    assertEquals(ExitCode.OK, done.code(), done.err());
  }

  private List<String> run(String main, String libraries) {
    String path =
        String.join(
            File.pathSeparator,
            folder.resolve("classes").toString(),
            Shell.memoryPath(),
            libraries);
    return Jvm.onClassPath(main, path).quick().command().run().expect(0).lines();
  }

  @Test
  void specializesWhatKotlinHasCompiled() throws Exception {
    String compiler = jars("(kotlin|kotlinx|annotations)-.*\\.jar");
    String library = jars("kotlin-stdlib-\\d.*\\.jar");
    String path = Shell.memoryPath() + File.pathSeparator + library;
    Jvm.onClassPath("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", compiler)
        .quick()
        .options("-Xmx1g")
        .command(
            "-no-stdlib",
            "-no-reflect",
            "-jvm-target",
            "21",
            "-cp",
            path,
            "-d",
            folder.resolve("classes").toString(),
            source("Order.kt", documented("kotlin", "class Order")).toString(),
            source("Main.kt", KOTLIN_MAIN).toString())
        .run()
        .expect(0);
    specialize(path);
    List<String> lines = run("app.MainKt", library);
    assertEquals(List.of("no customer", "7 TIG 9 0"), lines.subList(0, 2));
    assertTrue(lines.getLast().contains("quantity=7"), lines.getLast());
  }

  @Test
  void specializesWhatLombokHasMade() throws Exception {
    String lombok = jars("lombok-.*\\.jar");
    String path = Shell.memoryPath() + File.pathSeparator + lombok;
    String header = "package app;\nimport dev.tigris.memory.*;\n";
    dev.tigris.testing.process.Command.of(Jvm.tool("javac"))
        .with("-proc:full", "-processorpath", lombok, "-cp", path)
        .with("-d", folder.resolve("classes").toString())
        .with(source("Order.java", header + documented("", "import lombok")).toString())
        .with(source("Main.java", LOMBOK_MAIN).toString())
        .run()
        .expect(0);
    specialize(path);
    List<String> lines = run("app.Main", lombok);
    assertTrue(lines.getLast().contains("quantity=7, next=Order@"), lines.getLast());
  }
}
