package dev.tigris.specializer.maven;

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
}
