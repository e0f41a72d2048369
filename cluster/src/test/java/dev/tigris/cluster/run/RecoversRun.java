package dev.tigris.cluster.run;

import dev.tigris.cluster.run.outputs.RunRecovery;
import dev.tigris.cluster.run.outputs.RunStillGoingException;
import java.nio.file.Path;

/// A process that tries to recover a run: it prints whether that goes on.
final class RecoversRun {
  private RecoversRun() {}

  public static void main(String[] arguments) throws Exception {
    try (RunRecovery _ = RunRecovery.of(Path.of(arguments[0]))) {
      System.out.println("over");
    } catch (RunStillGoingException e) {
      System.out.println("goes on");
    }
  }
}
