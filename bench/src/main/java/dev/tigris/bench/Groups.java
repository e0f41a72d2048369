package dev.tigris.bench;

import dev.tigris.bench.call.CallGroups;
import dev.tigris.bench.cluster.ClusterGroups;
import dev.tigris.bench.disks.DiskGroups;
import dev.tigris.bench.flow.FlowGroups;
import dev.tigris.bench.group.MemberGroups;
import dev.tigris.bench.matrix.MatrixGroups;
import dev.tigris.bench.memory.MemoryGroups;
import dev.tigris.bench.net.NetGroups;
import dev.tigris.bench.objects.ObjectGroups;
import dev.tigris.bench.papers.PaperGroups;
import dev.tigris.bench.runs.RunGroups;
import dev.tigris.bench.shuffle.ShuffleGroups;
import dev.tigris.bench.sort.SortGroups;
import java.util.List;
import java.util.stream.Stream;

/// Everything that can be measured, in the order in which it is.
final class Groups {
  private Groups() {}

  static List<Group> all() {
    return Stream.of(
            MemoryGroups.all(),
            ObjectGroups.all(),
            PaperGroups.all(),
            NetGroups.all(),
            CallGroups.all(),
            ClusterGroups.all(),
            RunGroups.all(),
            FlowGroups.all(),
            DiskGroups.all(),
            SortGroups.all(),
            ShuffleGroups.all(),
            MatrixGroups.all(),
            MemberGroups.all())
        .flatMap(List::stream)
        .toList();
  }
}
