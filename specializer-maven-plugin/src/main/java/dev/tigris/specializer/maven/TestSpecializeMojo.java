package dev.tigris.specializer.maven;

import dev.tigris.specializer.Report;
import java.nio.file.Path;
import java.util.List;
import org.apache.maven.artifact.DependencyResolutionRequiredException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.ResolutionScope;

/// Specializes the test classes of a module, in place, and fails the build when an access to a
/// pre-serialized field is left unrewritten in them or in anything that the tests run with.
@Mojo(
    name = TestSpecializeMojo.NAME,
    defaultPhase = LifecyclePhase.PROCESS_TEST_CLASSES,
    requiresDependencyResolution = ResolutionScope.TEST,
    threadSafe = true)
public final class TestSpecializeMojo extends Goal {
  static final String NAME = "test-specialize";

  @Override
  Path classes() {
    return Path.of(project().getBuild().getTestOutputDirectory());
  }

  @Override
  List<String> compilePath() throws DependencyResolutionRequiredException {
    return project().getTestClasspathElements();
  }

  @Override
  List<String> runtimePath() throws DependencyResolutionRequiredException {
    return project().getTestClasspathElements();
  }

  @Override
  String reportName() {
    return "test-report.txt";
  }

  @Override
  void warn(Report report) {}
}
