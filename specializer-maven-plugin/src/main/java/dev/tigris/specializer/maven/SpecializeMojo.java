package dev.tigris.specializer.maven;

import dev.tigris.specializer.Report;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.maven.artifact.DependencyResolutionRequiredException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.ResolutionScope;

/// Specializes the main classes of a module, in place, and fails the build when an access to a
/// pre-serialized field is left unrewritten in them or in a run-time dependency.
@Mojo(
    name = "specialize",
    defaultPhase = LifecyclePhase.PROCESS_CLASSES,
    requiresDependencyResolution = ResolutionScope.COMPILE_PLUS_RUNTIME,
    threadSafe = true)
public final class SpecializeMojo extends Goal {
  @Override
  Path classes() {
    return Path.of(project().getBuild().getOutputDirectory());
  }

  @Override
  List<String> compilePath() throws DependencyResolutionRequiredException {
    return project().getCompileClasspathElements();
  }

  @Override
  List<String> runtimePath() throws DependencyResolutionRequiredException {
    return project().getRuntimeClasspathElements();
  }

  @Override
  String reportName() {
    return "report.txt";
  }

  /// Tests fail where their classes were left alone.
  @Override
  void warn(Report report) {
    boolean hasTests =
        project().getTestCompileSourceRoots().stream()
            .anyMatch(root -> Files.isDirectory(Path.of(root)));
    boolean specializesThem =
        project().getBuildPlugins().stream()
            .flatMap(plugin -> plugin.getExecutions().stream())
            .anyMatch(execution -> execution.getGoals().contains(TestSpecializeMojo.NAME));
    if (!report.classes().isEmpty() && hasTests && !specializesThem) {
      getLog()
          .warn(
              "the test classes are not specialized: they find no fields of objects. Add the goal"
                  + " '%s' beside 'specialize'".formatted(TestSpecializeMojo.NAME));
    }
  }
}
