package dev.tigris.cluster.run;

import dev.tigris.cluster.disk.HostFinder;
import dev.tigris.cluster.run.host.HostAddress;
import dev.tigris.cluster.run.host.HostClient;
import dev.tigris.cluster.run.host.HostKey;
import dev.tigris.cluster.run.host.HostMessage.Kind;
import dev.tigris.cluster.run.host.HostRefusedException;
import dev.tigris.os.disk.FileHost;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/// A coordinator's connections to the workers of hosts, each of which has the program's code.
///
/// Thread rule: one thread.
final class HostLinks implements FilePlaces.Where, AutoCloseable {
  private static final Duration CONNECT = Duration.ofSeconds(20);

  /// A large jar has to be read there.
  private static final Duration COMPARE = Duration.ofSeconds(60);

  /// A message has room for so many long names.
  private static final int MOST_FILES = 200;

  private static final long PAUSE_NANOS = 100_000_000;
  private static final Executor THREADS = task -> Thread.ofVirtual().start(task);

  private final List<HostAddress> lines;
  private final HostKey key;
  private final List<String> code;
  private final Map<HostAddress, HostClient> clients = new LinkedHashMap<>();

  /// How many processors each host has.
  private final Map<HostAddress, Integer> processors = new HashMap<>();

  private HostLinks(List<HostAddress> lines, HostKey key, List<String> code) {
    this.lines = List.copyOf(lines);
    this.key = key;
    this.code = code;
  }

  /// Connects to all.
  ///
  /// @param lines where the workers are: an address that is named twice has two processes
  /// @param code the program's jars and folders
  /// @throws HostRefusedException if one has other code
  /// @throws IOException if one cannot be reached, or refuses the key
  static HostLinks connect(List<HostAddress> lines, HostKey key, List<Path> code)
      throws IOException {
    List<String> hashes = new ArrayList<>(List.of(HostCode.TIGRIS, ContentHash.ofTigris()));
    for (Path entry : code) {
      hashes.add(String.valueOf(entry.getFileName()));
      hashes.add(ContentHash.of(entry));
    }
    HostLinks made = new HostLinks(lines, key, hashes);
    try {
      made.connect(Duration.ZERO);
      return made;
    } catch (IOException | RuntimeException e) {
      made.close();
      throw e;
    }
  }

  /// Connects to those to which there is no connection.
  ///
  /// @param patience how long a worker may take to listen again
  void connect(Duration patience) throws IOException {
    clients.values().removeIf(client -> !client.isOpen());
    Map<HostAddress, CompletableFuture<Greeted>> found = new LinkedHashMap<>();
    for (HostAddress address : new HashSet<>(lines)) {
      if (!clients.containsKey(address)) {
        found.put(
            address, CompletableFuture.supplyAsync(() -> greeted(address, patience), THREADS));
      }
    }
    IOException failure = null;
    for (var each : found.entrySet()) {
      try {
        Greeted greeted = each.getValue().join();
        clients.put(each.getKey(), greeted.client());
        processors.put(each.getKey(), greeted.processors());
      } catch (CompletionException e) {
        if (!(e.getCause() instanceof UnreachedException unreached)) {
          throw e;
        }
        failure = failure == null ? unreached.why : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /// A connection that the worker has answered on.
  private record Greeted(HostClient client, int processors) {}

  private Greeted greeted(HostAddress address, Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    while (true) {
      try {
        HostClient client = HostClient.connect(address, key, CONNECT);
        try {
          byte[] revoked = key.revoked();
          if (revoked.length > 0) {
            List<String> _ =
                client.ask(
                    Kind.REVOKED, CONNECT, List.of(Base64.getEncoder().encodeToString(revoked)));
          }
          List<String> answer = client.ask(Kind.HELLO, COMPARE, code);
          return new Greeted(client, Integer.parseInt(answer.getFirst()));
        } catch (IOException | RuntimeException e) {
          client.close();
          throw e;
        }
      } catch (HostRefusedException e) {
        throw new UnreachedException(e);
      } catch (IOException e) {
        if (System.nanoTime() - end >= 0) {
          throw new UnreachedException(e);
        }
        LockSupport.parkNanos(this, PAUSE_NANOS); // its supervisor may be about to start it
      }
    }
  }

  /// Carries a failure out of a thread.
  private static final class UnreachedException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final IOException why;

    UnreachedException(IOException why) {
      super(why);
      this.why = why;
    }
  }

  /// Returns how many processes there are.
  int count() {
    return lines.size();
  }

  /// Returns how many processors all hosts have together.
  int processors() {
    return processors.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Override
  public int hosts() {
    return clients.size();
  }

  @Override
  public List<List<Integer>> processesWith(List<Path> named) throws IOException {
    List<Path> files = named.stream().filter(file -> !FileHost.isElsewhere(file)).toList();
    List<List<Integer>> found = processesThatHave(files);
    List<List<Integer>> all = new ArrayList<>();
    int next = 0;
    for (Path each : named) { // a path with a host's name says where the file lies
      all.add(
          FileHost.isElsewhere(each)
              ? workersAt(HostFinder.address(FileHost.hostOf(each)))
              : found.get(next++));
    }
    return all;
  }

  private List<List<Integer>> processesThatHave(List<Path> files) throws IOException {
    List<List<Integer>> all = new ArrayList<>();
    files.forEach(file -> all.add(new ArrayList<>()));
    for (var each : clients.entrySet()) {
      for (int from = 0; from < files.size(); from += MOST_FILES) {
        List<Path> some = files.subList(from, Math.min(files.size(), from + MOST_FILES));
        List<String> names = some.stream().map(Path::toString).toList();
        for (String found : filesAt(each.getKey(), each.getValue(), names)) {
          all.get(from + Objects.checkIndex(Integer.parseInt(found), some.size()))
              .addAll(workersAt(each.getKey()));
        }
      }
    }
    all.forEach(each -> each.sort(null));
    return all;
  }

  private static List<String> filesAt(HostAddress address, HostClient client, List<String> names)
      throws Host.LostException {
    try {
      return client.ask(Kind.FILES, CONNECT, names);
    } catch (IOException e) {
      throw new Host.LostException(
          new IOException(
              "the worker at %s cannot say which files lie there: %s"
                  .formatted(address, e.getMessage()),
              e));
    }
  }

  private List<Integer> workersAt(HostAddress address) {
    return IntStream.range(0, lines.size())
        .filter(worker -> lines.get(worker).equals(address))
        .boxed()
        .toList();
  }

  /// Returns the connection to a worker's host.
  HostClient of(int worker) throws IOException {
    HostClient client = clients.get(lines.get(worker));
    if (client == null || !client.isOpen()) {
      throw new IOException("there is no connection to the worker at " + lines.get(worker));
    }
    return client;
  }

  /// Returns the address of a worker.
  HostAddress address(int worker) {
    return lines.get(worker);
  }

  /// Returns the connections.
  List<HostClient> all() {
    return List.copyOf(clients.values());
  }

  /// Returns how many processes an address has.
  int countAt(HostAddress address) {
    return (int) lines.stream().filter(address::equals).count();
  }

  @Override
  public void close() {
    clients.values().forEach(HostClient::close);
  }
}
