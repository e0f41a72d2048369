package dev.tigris.specializer;

import dev.tigris.specializer.patch.PatchKind;
import dev.tigris.specializer.patch.PatchSigner;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The specializer as a program, for builds that have no plugin: its jar is all that it needs.
///
/// ```sh
/// java -jar tigris-specializer.jar build/classes -cp "lib/*"
/// ```
final class Main {
  static final int OK = 0;
  static final int USAGE = 2;
  static final int BAD_INPUT = 3;
  static final int BAD_OUTPUT = 4;
  static final int FAILED = 6;

  private static final String HELP =
      """
      Rewrite compiled classes in place so that their objects' fields lie in containers.
      Usage: java -jar tigris-specializer.jar [OPTION...] PATH...

        PATH...                 Class files, jars, and folders of classes. All are rewritten, or
                                none if there is a problem. A second run changes nothing.
        -cp, --class-path PATH  What the classes were compiled with, as for javac: folders, jars,
                                and FOLDER/* for all jars of a folder.
        --check                 Write nothing, and fail if an access was not specialized.
        --patch flat|diff       Keep the code, and add a code patch for the agent.
        --sign KEY              Sign the patches with an Ed25519 key in a PEM file.
        --rules FILE            The rules, in their order, in place of the standard ones.
        --rule-path PATH        Folders and jars with modules that provide rules.
        --trust MODULE          Trust the rules of a module.
        --report FILE           Write what was rewritten and what was not, by method.
        -h, --help              Print this help and exit.

      As an agent, the jar specializes classes when they are loaded:
        java -javaagent:tigris-specializer.jar ...

      Exit codes: 0 all went well, 2 the command line is wrong, 3 an input cannot be read, 4 an
      output cannot be written, 6 a class cannot be specialized, or was not.""";

  /// The command line is wrong.
  private static final class UsageException extends Exception {
    private static final long serialVersionUID = 1;

    UsageException(String message) {
      super(message);
    }
  }

  private final List<Path> inputs = new ArrayList<>();
  private List<Path> classPath = List.of();
  private List<Path> rulePath = List.of();
  private final List<String> trusted = new ArrayList<>();
  private @Nullable Path rules;
  private @Nullable Path report;
  private @Nullable Path key;
  private @Nullable PatchKind patch;
  private boolean check;
  private boolean help;

  private Main() {}

  /// Runs the program, and ends the JVM with its exit code.
  public static void main(String[] arguments) {
    int code = run(List.of(arguments), System.out, System.err);
    if (code != OK) {
      System.exit(code);
    }
  }

  static int run(List<String> arguments, PrintStream out, PrintStream err) {
    Main main = new Main();
    try {
      main.parse(new ArrayDeque<>(arguments));
      if (main.help) {
        out.println(HELP);
        return OK;
      }
      return main.run(out, err);
    } catch (UsageException | InvalidPathException e) {
      err.println("tigris-specializer: " + e.getMessage());
      err.println("See: java -jar tigris-specializer.jar --help");
      return USAGE;
    } catch (NotWrittenException e) {
      err.println("tigris-specializer: " + e.getMessage());
      return BAD_OUTPUT;
    } catch (IOException | UncheckedIOException e) {
      err.println("tigris-specializer: " + reason(e));
      return BAD_INPUT;
    }
  }

  private static String reason(Exception failure) {
    return switch (failure) {
      case NoSuchFileException gone -> "there is no '%s'".formatted(gone.getFile());
      case AccessDeniedException denied ->
          "'%s' may not be used: its permissions, or those of its folder, forbid it"
              .formatted(denied.getFile());
      case InterruptedIOException _ -> "interrupted";
      default -> String.valueOf(failure.getMessage());
    };
  }

  private void parse(Deque<String> words) throws UsageException {
    while (!words.isEmpty()) {
      String word = words.remove();
      switch (word) {
        case "-h", "--help" -> help = true;
        case "--check" -> check = true;
        case "-cp", "--class-path", "--classpath" ->
            classPath = ClassPath.parse(value(word, words));
        case "--rules" -> rules = Path.of(value(word, words));
        case "--rule-path" ->
            rulePath =
                Arrays.stream(value(word, words).split(File.pathSeparator)).map(Path::of).toList();
        case "--trust" -> trusted.add(value(word, words));
        case "--report" -> report = Path.of(value(word, words));
        case "--sign" -> key = Path.of(value(word, words));
        case "--patch" -> patch = patch(value(word, words));
        default -> {
          if (word.startsWith("-")) {
            throw new UsageException("there is no option " + word);
          }
          inputs.add(Path.of(word));
        }
      }
    }
    refuseWhatHasNoEffect();
  }

  private void refuseWhatHasNoEffect() throws UsageException {
    if (help) {
      return;
    }
    if (inputs.isEmpty()) {
      throw new UsageException("name class files, jars, or folders of classes");
    }
    if (rules == null && !(trusted.isEmpty() && rulePath.isEmpty())) {
      throw new UsageException("--trust and --rule-path are about the rules of --rules: add it");
    }
    if (key != null && patch == null) {
      throw new UsageException("only a patch is signed: add --patch diff, or remove --sign");
    }
    if (check && patch != null) {
      throw new UsageException("--check writes no class: remove --patch");
    }
  }

  private static String value(String option, Deque<String> words) throws UsageException {
    String value = words.poll();
    if (value == null) {
      throw new UsageException(option + " has no value: add one");
    }
    return value;
  }

  private static PatchKind patch(String kind) throws UsageException {
    return switch (kind) {
      case "flat" -> PatchKind.FLAT;
      case "diff" -> PatchKind.DIFF;
      default ->
          throw new UsageException(
              "there is no kind of patch '%s': say flat or diff".formatted(kind));
    };
  }

  private int run(PrintStream out, PrintStream err) throws IOException {
    List<Path> lookup = new ArrayList<>();
    for (Path input : inputs) {
      if (!Files.exists(input)) {
        throw new NoSuchFileException(input.toString());
      }
      lookup.add(ClassPath.rootOf(input));
    }
    lookup.addAll(classPath);
    MemoryTypes memory = new MemoryTypes();
    try (ClassPath classes = new ClassPath(lookup)) {
      ClassHierarchy hierarchy =
          new ClassHierarchy(
              type -> {
                byte[] found = classes.find(type);
                return found == null ? memory.find(type) : found;
              });
      Specializer specializer =
          new Specializer(
              hierarchy, rules == null ? Rule.standard() : RuleList.read(rules, rulePath, trusted));
      Report done =
          check
              ? ClassFiles.check(inputs, specializer)
              : ClassFiles.specialize(inputs, specializer, delivery());
      return write(done, err) ? tell(done, hierarchy, out, err) : BAD_OUTPUT;
    }
  }

  private boolean write(Report done, PrintStream err) {
    try {
      if (report != null) {
        Files.writeString(report, done.text());
      }
      return true;
    } catch (IOException e) {
      err.println("tigris-specializer: cannot write the report: " + reason(e));
      return false;
    }
  }

  private Delivery delivery() throws IOException {
    if (patch == null) {
      return new Delivery.Rewritten();
    }
    Optional<PatchSigner> signer =
        key == null ? Optional.empty() : Optional.of(PatchSigner.of(key));
    return new Delivery.Patched(patch, signer);
  }

  private int tell(Report done, ClassHierarchy hierarchy, PrintStream out, PrintStream err) {
    if (!done.problems().isEmpty()) {
      done.problems().forEach(problem -> err.println("tigris-specializer: " + problem));
      err.println(check ? "Not all is specialized." : "Nothing was written.");
      return FAILED;
    }
    if (done.classesSeen() == 0) {
      err.println("tigris-specializer: there is no class in " + inputs);
      return BAD_INPUT;
    }
    done.slowMethods()
        .forEach(method -> err.println("warning: HotSpot may not compile %s".formatted(method)));
    done.patchWarning().ifPresent(warning -> err.println("warning: " + warning));
    if (!hierarchy.missing().isEmpty()) {
      err.printf(
          "warning: not found: %s and %d more. If one of them is a class of objects, code that uses"
              + " it was not rewritten: name the class path of the compilation with -cp%n",
          Location.nameOf(hierarchy.missing().getFirst()), hierarchy.missing().size() - 1);
    }
    out.println(
        check
            ? done.classesSeen() + " classes: every access is specialized that has to be"
            : done.summary());
    return OK;
  }
}
