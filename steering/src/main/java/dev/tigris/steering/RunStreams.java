package dev.tigris.steering;

import dev.tigris.cluster.GuestStreams;
import dev.tigris.cluster.Reach;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.Guest;
import dev.tigris.flow.StreamGroup;
import dev.tigris.flow.StreamKind;
import dev.tigris.memory.schema.Schema;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/// The reservoirs of a run of another program, for the feeds and drains of this one. So its stages
/// take part in that run while it goes on: as more replicas of a stage, of another class and in
/// processes of their own.
///
/// ```java
/// RunStreams run = RunStreams.of(folder);
/// Flow.named("quick")
///     .stage("work", QuickWork::new, 4)
///     .feed("work", run.taking("work"))       // a share of what is put on reservoir work
///     .drain("work", run.giving("write"))     // for the receivers of reservoir write
/// ```
///
/// Each water goes to one receiver, by the policy of the reservoir: to a replica of that run, or to
/// one of this. When this flow is drained, as by `tigris stop`, it gets nothing more, works off
/// what it has, and ends. It ends, too, when that run has nothing more to give. If it fails, or is
/// cancelled, waters are lost that it has taken, and so that run fails, or begins its next attempt.
///
/// All such streams of one flow are of one object.
///
/// Thread rule: any thread.
public final class RunStreams {
  private static final System.Logger LOG = System.getLogger(RunStreams.class.getName());

  /// Makes a client of the run.
  private interface Clients {
    RunClient open() throws IOException;
  }

  private final Clients clients;
  private final GuestStreams streams = new GuestStreams(new Host());

  /// The objects that are expected, by reservoir.
  private final Map<String, Schema> expected = new ConcurrentHashMap<>();

  private RunStreams(Clients clients) {
    this.clients = clients;
  }

  /// Returns the reservoirs of a run of this user on this host.
  ///
  /// @param folder of the run, as `tigris show` tells it
  public static RunStreams of(Path folder) {
    return new RunStreams(() -> RunClient.of(folder));
  }

  /// Returns the reservoirs of a run whose server listens to other hosts, as [RunClient#of(URI,
  /// Path)] finds it.
  public static RunStreams of(URI server, Path key) {
    return new RunStreams(() -> RunClient.of(server, key));
  }

  /// Returns a feed: each replica takes its share of what is put on a reservoir.
  public StreamGroup taking(String reservoir) {
    return new Group(streams.taking(reservoir));
  }

  /// Returns a drain: what each replica puts goes to the receivers of a reservoir.
  public StreamGroup giving(String reservoir) {
    return new Group(streams.giving(reservoir));
  }

  /// Expects that a reservoir [carries][dev.tigris.flow.Reservoir#carrying] these objects. One that
  /// carries others, or does not say, is refused before the first water.
  ///
  /// @return this object
  public RunStreams expecting(String reservoir, Schema objects) {
    expected.put(reservoir, objects);
    return this;
  }

  /// A stream for each replica, wherever that is.
  private static final class Group extends StreamGroup {
    private final StreamKind kind;

    Group(StreamKind kind) {
      this.kind = kind;
    }

    @Override
    protected List<StreamKind> kinds(int replicas) {
      return Collections.nCopies(replicas, kind);
    }

    @Override
    protected boolean staysTogether() {
      return false;
    }
  }

  /// Asks the run.
  private final class Host implements GuestStreams.Host {
    @Override
    public GuestStreams.Joined join(Guest guest, Reach here) throws IOException {
      RunClient client = clients.open();
      Schema objects = expected.get(guest.reservoir());
      if (objects != null) {
        refuseOther(client, guest.reservoir(), FlowGraph.nameOf(objects));
      }
      List<Reach> processes = reaches(client);
      int process = nearest(processes, guest, here);
      Map<String, Object> body = words(guest);
      body.put("reach", here.toString());
      body.put("process", (long) process);
      String change = client.change("/api/v1/join", body);
      CompletableFuture<Void> done = new CompletableFuture<>();
      Thread _ =
          Thread.ofVirtual().name("tigris-guest-joins").start(() -> await(client, change, done));
      return new GuestStreams.Joined(processes.get(process), done);
    }

    private static void await(RunClient client, String change, CompletableFuture<Void> done) {
      try {
        client.await(change);
        boolean _ = done.complete(null);
      } catch (IOException | InterruptedException e) {
        boolean _ = done.completeExceptionally(e);
      }
    }

    @Override
    public void leave(Guest guest) {
      Thread _ =
          Thread.ofVirtual()
              .name("tigris-guest-leaves")
              .start(
                  () -> {
                    try {
                      String _ = clients.open().change("/api/v1/leave", words(guest));
                    } catch (IOException e) { // the run ends, and the streams with it
                      LOG.log(
                          System.Logger.Level.WARNING,
                          "a run does not hear that a guest leaves: {0}",
                          e.getMessage());
                    }
                  });
    }

    private static Map<String, Object> words(Guest guest) {
      Map<String, Object> words = new LinkedHashMap<>();
      words.put("reservoir", guest.reservoir());
      words.put("gives", guest.gives());
      words.put("program", RunApi.digits(guest.program()));
      words.put("key", RunApi.digits(guest.key()));
      return words;
    }

    /// Returns where the processes of the run listen, by their numbers.
    private static List<Reach> reaches(RunClient client) throws IOException {
      Object all = client.get("/api/v1/processes").members().get("processes");
      if (!(all instanceof List<?> list) || list.isEmpty()) {
        throw new IOException("the processes of the run do not listen yet, or any more");
      }
      if (list.stream()
          .anyMatch(each -> each instanceof Map<?, ?> its && "".equals(its.get("reach")))) {
        throw new IOException("the processes of the run do not listen yet, or any more");
      }
      try {
        return list.stream()
            .map(each -> Reach.of(String.valueOf(((Map<?, ?>) each).get("reach"))))
            .toList();
      } catch (IllegalArgumentException | ClassCastException e) {
        throw new IOException("the run does not tell where its processes listen", e);
      }
    }

    /// Returns a process on the host of the guest, if there is one. Guests are spread over them.
    private static int nearest(List<Reach> processes, Guest guest, Reach here) {
      int[] near =
          IntStream.range(0, processes.size())
              .filter(i -> processes.get(i).host().equals(here.host()))
              .toArray();
      int[] among = near.length > 0 ? near : IntStream.range(0, processes.size()).toArray();
      return among[(int) Math.floorMod(guest.key(), (long) among.length)];
    }

    private static void refuseOther(RunClient client, String reservoir, String expected)
        throws IOException {
      Object all = client.get("/api/v1/graph").members().get("reservoirs");
      if (all instanceof List<?> list) {
        for (Object each : list) {
          if (each instanceof Map<?, ?> its
              && reservoir.equals(its.get("name"))
              && !expected.equals(its.get("schema"))) {
            String carried = String.valueOf(its.get("schema"));
            throw new IOException(
                carried.isEmpty()
                    ? "reservoir %s does not say which objects it carries, and %s are expected: describe it by Reservoir.carrying"
                        .formatted(reservoir, expected)
                    : "reservoir %s carries %s, and %s are expected"
                        .formatted(reservoir, carried, expected));
          }
        }
      }
    }
  }
}
