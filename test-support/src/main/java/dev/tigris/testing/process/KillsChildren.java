package dev.tigris.testing.process;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/// Kills, at the end of each test and each class of tests, the processes that it has started and
/// left. The JUnit platform finds it by the file in META-INF/services.
public final class KillsChildren implements TestExecutionListener {
  /// For the JUnit platform.
  public KillsChildren() {}

  @Override
  public void executionStarted(TestIdentifier test) {
    Children.OF_THIS_JVM.begin(test.getUniqueId());
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    Children.OF_THIS_JVM.end(test.getUniqueId());
  }
}
