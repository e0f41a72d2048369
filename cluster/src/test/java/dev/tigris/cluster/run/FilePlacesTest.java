package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.flow.FileStream;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.text.Lines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Replicas that read files run where these lie.
class FilePlacesTest {
  private static final int PROCESSES = 4;

  /// Processes 0 and 1 are on a host that has `left`, and 2 and 3 on one that has `right`; both
  /// have `both`.
  private static final Map<String, List<Integer>> FILES =
      Map.of("left", List.of(0, 1), "right", List.of(2, 3), "both", List.of(0, 1, 2, 3));

  @TempDir private Path folder;

  private final List<List<Path>> asked = new ArrayList<>();

  private final class TwoHosts implements FilePlaces.Where {
    @Override
    public int hosts() {
      return 2;
    }

    @Override
    public List<List<Integer>> processesWith(List<Path> files) {
      asked.add(files);
      return files.stream()
          .map(file -> FILES.getOrDefault(file.toString(), List.<Integer>of()))
          .toList();
    }
  }

  private static Arguments arguments(FilePlaces.Where where) {
    return Arguments.looking(List.of(), PROCESSES, PROCESSES, 0, Instant.EPOCH, where);
  }

  private static Flow.Builder scanning(int replicas) {
    return Flow.named("scan")
        .source("count", () -> out -> false)
        .reservoir(Reservoir.random())
        .stage("scan", () -> (in, out) -> {}, replicas);
  }

  private static Flow reading(String... names) {
    StreamKind[] files = new StreamKind[names.length];
    for (int i = 0; i < names.length; i++) {
      files[i] = FileStream.reading(Path.of(names[i]), 1).withWindow(2);
    }
    return scanning(names.length).feed("scan", files).build();
  }

  private static List<Integer> places(Flow flow, Arguments arguments) throws Exception {
    return Described.of(given -> flow, arguments).places().get("scan");
  }

  private List<Integer> places(Flow flow) throws Exception {
    return places(flow, arguments(new TwoHosts()));
  }

  @Test
  void areWhereTheirFilesLie() throws Exception {
    assertEquals(
        List.of(2, 3, 1, 2),
        places(reading("right", "right", "left", "right")),
        "process 0 has the source");
    assertEquals(1, asked.size(), "one question for all files");
  }

  @Test
  void areSpreadIfAllProcessesOrNoneHaveTheFiles() throws Exception {
    assertEquals(List.of(1, 2, 3, 0), places(reading("both", "none", "both", "none")));
  }

  @Test
  void ofSeveralFilesAreWhereAllOfThemLie() throws Exception {
    StreamKind left = FileStream.reading(Path.of("left"), 1);
    StreamKind right = FileStream.reading(Path.of("right"), 1);
    StreamKind both = FileStream.reading(Path.of("both"), 1);
    Flow flow = scanning(2).feed("scan", right, left, both, right).build();
    assertEquals(List.of(2, 2), places(flow), "right and both; left and right, which none has");
  }

  @Test
  void thatShareAFileAreTogetherWhereItLies() throws Exception {
    Flow flow = scanning(3).feed("scan", Lines.reading(Path.of("right"))).build();
    assertEquals(List.of(2, 2, 2), places(flow));
  }

  @Test
  void areEquallyPlacedByAWorker() throws Exception {
    Flow flow = reading("right", "left");
    Arguments looking = arguments(new TwoHosts());
    List<Integer> here = places(flow, looking);
    Arguments there = Arguments.read(Frame.reading(Frame.bytes(looking.settled()::write)));
    assertEquals(here, places(flow, there));
  }

  @Test
  void areSpreadOnOneHost() throws Exception {
    Arguments arguments = arguments(new FilePlaces.OneHost(PROCESSES));
    assertEquals(List.of(1, 2), places(reading("right", "left"), arguments));
  }

  @Test
  void aProgramAsksWhereAFileLies() throws IOException {
    assertEquals(List.of(2, 3), arguments(new TwoHosts()).processesWith(Path.of("right")));
    Path there = Files.createFile(folder.resolve("there"));
    Arguments here = arguments(new FilePlaces.OneHost(2));
    assertEquals(List.of(0, 1), here.processesWith(there));
    assertEquals(List.of(), here.processesWith(folder.resolve("missing")));
  }
}
