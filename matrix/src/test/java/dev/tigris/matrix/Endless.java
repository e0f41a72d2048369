package dev.tigris.matrix;

import dev.tigris.cluster.group.Group;
import dev.tigris.cluster.group.GroupProgram;
import dev.tigris.cluster.run.Arguments;
import java.nio.file.Files;
import java.nio.file.Path;

/// Members that multiply until one of them is killed. Member 1 writes its process into a file.
public final class Endless implements GroupProgram {
  /// Makes the program, as each process of a run does.
  public Endless() {}

  @Override
  public void run(Group group, Arguments arguments) throws Exception {
    int size = 300;
    int own = GroupProduct.columnCount(size, group.size(), group.rank());
    Matrix a = Matrix.zeros(Precision.DOUBLE, size, own);
    Matrix c = Matrix.zeros(Precision.DOUBLE, size, own);
    for (long i = 0; i < Long.MAX_VALUE; i++) {
      GroupProduct.Times _ = GroupProduct.addProduct(group, a, a, c, 1);
      if (i == 2 && group.rank() == 1) {
        String pid = String.valueOf(ProcessHandle.current().pid());
        Files.writeString(Path.of(arguments.word(0)), pid);
      }
    }
  }
}
