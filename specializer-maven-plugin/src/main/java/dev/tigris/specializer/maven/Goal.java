package dev.tigris.specializer.maven;

import dev.tigris.specializer.ClassFiles;
import dev.tigris.specializer.ClassHierarchy;
import dev.tigris.specializer.ClassPath;
import dev.tigris.specializer.Delivery;
import dev.tigris.specializer.Problem;
import dev.tigris.specializer.Report;
import dev.tigris.specializer.Rule;
import dev.tigris.specializer.RuleList;
import dev.tigris.specializer.Specializer;
import dev.tigris.specializer.patch.PatchKind;
import dev.tigris.specializer.patch.PatchSigner;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.maven.artifact.DependencyResolutionRequiredException;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.project.MavenProject;
import org.jspecify.annotations.Nullable;

/// What both goals do: specialize one folder, write the report, check the run-time path.
abstract sealed class Goal extends AbstractMojo permits SpecializeMojo, TestSpecializeMojo {
  private static final String NO_PATCH = "none";

  // Set by Maven before execute().
  @Parameter(defaultValue = "${project}", readonly = true, required = true)
  @Nullable MavenProject project;

  /// Skips the goal. The classes can then not be used until they are specialized in another way.
  @Parameter(property = "tigris.specializer.skip", defaultValue = "false")
  boolean skip;

  /// Whether the dependencies are looked through for unrewritten accesses too.
  @Parameter(property = "tigris.specializer.checkDependencies", defaultValue = "true")
  boolean checkDependencies;

  /// How the classes are delivered: `none` rewrites them; `flat` and `diff` leave them as they are
  /// but for a code patch, and the program then needs the agent.
  @Parameter(property = "tigris.specializer.patch", defaultValue = "none")
  String patch = NO_PATCH;

  /// The PEM file of the Ed25519 key that code patches are signed with.
  @Parameter(property = "tigris.specializer.key")
  @Nullable File key;

  /// The file that lists the rules; without it, the specializer's own.
  @Parameter(property = "tigris.specializer.rules")
  @Nullable File rules;

  /// Folders and jars with modules that provide rules.
  @Parameter List<File> rulePath = List.of();

  /// Modules whose rules may run, in addition to those that the file names.
  @Parameter List<String> trustedRuleModules = List.of();

  final MavenProject project() {
    MavenProject current = project;
    if (current == null) {
      throw new IllegalStateException("Maven did not set the project");
    }
    return current;
  }

  /// The folder to specialize.
  abstract Path classes();

  /// What its classes were compiled against.
  abstract List<String> compilePath() throws DependencyResolutionRequiredException;

  /// What its classes run with.
  abstract List<String> runtimePath() throws DependencyResolutionRequiredException;

  abstract String reportName();

  /// Warns of what the build seems to have forgotten.
  abstract void warn(Report report);

  @Override
  public final void execute() throws MojoExecutionException, MojoFailureException {
    if (skip) {
      getLog().warn("specializer skipped: pre-serialized classes will refuse to be constructed");
      return;
    }
    if (!Files.isDirectory(classes())) {
      return;
    }
    try {
      List<Path> runtime = paths(runtimePath());
      // What only compiling needs comes last: it is for looking up, not for running.
      List<Path> lookup =
          Stream.of(runtime, paths(compilePath())).flatMap(List::stream).distinct().toList();
      try (ClassPath classPath = new ClassPath(lookup)) {
        Specializer specializer = new Specializer(new ClassHierarchy(classPath), rules());
        Report report = ClassFiles.specialize(List.of(classes()), specializer, delivery());
        write(report);
        failOn(report.problems(), "cannot be specialized");
        List<Path> checked =
            checkDependencies
                ? runtime.stream().filter(path -> !path.equals(classes())).toList()
                : List.of();
        failOn(
            ClassFiles.check(checked, specializer).problems(),
            "left unrewritten on the run-time path (specialize the module that it is in)");
        getLog().info(report.summary());
        warn(report);
      }
    } catch (IOException | UncheckedIOException | DependencyResolutionRequiredException e) {
      throw new MojoExecutionException("specializer: " + reason(e), e);
    }
  }

  /// The messages of these two exceptions are no more than the file's name.
  private static String reason(Exception failure) {
    return switch (failure) {
      case NoSuchFileException gone -> "there is no '%s'".formatted(gone.getFile());
      case AccessDeniedException denied ->
          "'%s' may not be used: its permissions, or those of its folder, forbid it"
              .formatted(denied.getFile());
      default -> String.valueOf(failure.getMessage());
    };
  }

  private List<Rule> rules() throws IOException, MojoFailureException {
    if (rules == null) {
      if (!rulePath.isEmpty() || !trustedRuleModules.isEmpty()) {
        throw new MojoFailureException(
            "<rulePath> and <trustedRuleModules> are about the rules of <rules>: name that file");
      }
      return Rule.standard();
    }
    List<Path> path = rulePath.stream().map(File::toPath).toList();
    return RuleList.read(rules.toPath(), path, trustedRuleModules);
  }

  private Delivery delivery() throws IOException, MojoFailureException {
    if (patch.equals(NO_PATCH)) {
      if (key != null) {
        throw new MojoFailureException(
            "only patches are signed: set tigris.specializer.patch to flat or diff, or leave out"
                + " tigris.specializer.key");
      }
      return new Delivery.Rewritten();
    }
    PatchKind kind =
        switch (patch) {
          case "flat" -> PatchKind.FLAT;
          case "diff" -> PatchKind.DIFF;
          default ->
              throw new MojoFailureException(
                  "tigris.specializer.patch is '" + patch + "': say none, flat or diff");
        };
    Optional<PatchSigner> signer =
        key == null ? Optional.empty() : Optional.of(PatchSigner.of(key.toPath()));
    return new Delivery.Patched(kind, signer);
  }

  private void write(Report report) throws IOException {
    Path folder = Path.of(project().getBuild().getDirectory(), "tigris-specializer");
    Files.createDirectories(folder);
    Files.writeString(folder.resolve(reportName()), report.text());
    report.patchWarning().ifPresent(warning -> getLog().warn(warning));
    for (String method : report.slowMethods()) {
      getLog().warn(method + " is too long for HotSpot to compile well: see the report");
    }
  }

  private void failOn(List<Problem> problems, String what) throws MojoFailureException {
    if (problems.isEmpty()) {
      return;
    }
    problems.forEach(problem -> getLog().error(problem.toString()));
    throw new MojoFailureException(
        "%d %s, first: %s".formatted(problems.size(), what, problems.getFirst()));
  }

  private static List<Path> paths(List<String> elements) {
    return elements.stream().map(Path::of).toList();
  }
}
