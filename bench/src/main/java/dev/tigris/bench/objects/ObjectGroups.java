package dev.tigris.bench.objects;

import dev.tigris.bench.Group;
import dev.tigris.bench.fork.ForkedGroup;
import java.util.List;

/// The groups about objects as bytes.
public final class ObjectGroups {
  /// Agrona's buffers, below SBE, need this. Nothing of ours does.
  private static final List<String> FOR_AGRONA =
      List.of("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");

  private ObjectGroups() {}

  /// Lists the groups in the order in which they are measured.
  public static List<Group> all() {
    return List.of(
        new ForkedGroup(
            "objects.update", List.of(UpdateSuite.FIGURE), UpdateSuite.class, 4, 10, FOR_AGRONA),
        new ForkedGroup(
            "objects.read", List.of(ReadSuite.FIGURE), ReadSuite.class, 4, 10, FOR_AGRONA),
        new ScanGroup(),
        new ForkedGroup(
            "objects.roundtrip", List.of(RoundTripSuite.FIGURE), RoundTripSuite.class, 4, 10),
        new ForkedGroup(
            "objects.roundtrip.fresh", List.of(RoundTripSuite.FRESH), RoundTripSuite.class, 4, 10),
        new ForkedGroup(
            "objects.validate", List.of(ValidateSuite.FIGURE), ValidateSuite.class, 4, 10));
  }
}
