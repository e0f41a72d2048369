package dev.tigris.cli;

import dev.tigris.cluster.run.Main;

/// The main class of the processes of this command, which are in its module: so they start from its
/// AOT cache. The launcher's options name it (`tigris.process.main`).
public final class ProcessMain {
  private ProcessMain() {}

  /// Works for the run of another process.
  public static void main(String[] arguments) throws Exception {
    Main.main(arguments);
  }
}
