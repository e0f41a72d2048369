package dev.tigris.cluster.run;

import dev.tigris.cluster.run.host.HostAddress;
import dev.tigris.cluster.run.host.HostKey;
import dev.tigris.cluster.run.host.HostLink;
import dev.tigris.cluster.run.host.HostMessage;
import dev.tigris.cluster.run.host.HostMessage.Kind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The worker of a host: starts processes there for the runs of coordinators that have a key of its
/// authority, and ends them with their runs. It serves run after run, and several at a time.
///
/// Each process is a JVM of its own, with the class path of this process and the program's jars,
/// which lie on this host already.
///
/// **Strangers.** All that connect have to show a coordinator's key within 20 seconds. At most 64
/// may be about to: where more come, the oldest is closed. What was wrong is told once for each
/// host that they come from.
///
/// Thread rule: any thread.
public final class HostWorker implements AutoCloseable {
  private static final int MOST_STRANGERS = 64;
  private static final int MOST_TOLD = 1000;
  private static final int BACKLOG = 128;
  private static final Pattern CONTROLS = Pattern.compile("\\p{Cntrl}");
  private static final Duration GREETING = Duration.ofSeconds(20);
  private static final long PAUSE_MILLIS = 100;

  private final HostKey key;
  private final HostCode code;
  private final Path runs;
  private final String bound;
  private final ServerSocket listening;
  private final Consumer<String> says;
  private final Strangers strangers = new Strangers(MOST_STRANGERS, GREETING);
  private final Set<String> told = ConcurrentHashMap.newKeySet();
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private final Set<HostLink> links = ConcurrentHashMap.newKeySet();
  private final Thread thread;
  private volatile boolean isClosed;

  private HostWorker(HostKey key, HostCode code, Path runs, HostAddress at, Consumer<String> says)
      throws IOException {
    this.key = key;
    this.code = code;
    this.runs = runs;
    this.bound = at.host();
    this.says = says;
    this.listening = new ServerSocket();
    try {
      listening.setReuseAddress(true);
      listening.bind(new InetSocketAddress(at.host(), at.port()), BACKLOG);
    } catch (IOException e) {
      listening.close();
      throw new IOException("cannot listen at %s: %s".formatted(at, e.getMessage()), e);
    }
    this.thread = Thread.ofPlatform().name("tigris-worker").unstarted(this::accept);
  }

  /// Starts one.
  ///
  /// @param key the file with the key of this host
  /// @param code jars, folders of classes, and folders with such, where programs may lie. All on
  ///     the class path of this process are known besides
  /// @param runs the folder for the folders of runs; null for the usual one
  /// @param at where to listen, `HOST:PORT`: the host `0.0.0.0` is all addresses of this one, and
  ///     port 0 any port
  /// @param says hears what it does, a line at a time; any thread calls it
  /// @throws IOException if it cannot listen there, or the key cannot be used
  /// @throws IllegalArgumentException if `at` is no host and port
  public static HostWorker start(
      Path key, List<Path> code, @Nullable Path runs, String at, Consumer<String> says)
      throws IOException {
    HostAddress address = HostAddress.parse(at);
    HostKey own = HostKey.load(key);
    if (own.role() != HostKey.Role.WORKER) {
      throw new IOException(
          "%s is the key of a coordinator: a worker needs one of 'tigris keys worker HOST'"
              .formatted(key));
    }
    Path folder = runs == null ? RunFolder.usualRuns() : runs.toAbsolutePath();
    HostWorker made = new HostWorker(own, new HostCode(code), folder, address, says);
    made.thread.start();
    return made;
  }

  /// Returns where it listens, `HOST:PORT`.
  public String address() {
    return new HostAddress(bound, listening.getLocalPort()).toString();
  }

  // -- Strangers.

  private void accept() {
    while (!isClosed) {
      Socket socket;
      try {
        socket = listening.accept();
      } catch (IOException e) {
        if (!isClosed) {
          tell("", "a connection cannot be taken: " + e.getMessage());
          pause(); // too many files are open, say
        }
        continue;
      }
      strangers.add(socket);
      begin(() -> greet(socket));
    }
  }

  private void begin(Runnable work) {
    Thread made =
        Thread.ofVirtual()
            .name("tigris-worker-link")
            .unstarted(
                () -> {
                  try {
                    work.run();
                  } finally {
                    threads.remove(Thread.currentThread());
                  }
                });
    threads.add(made);
    made.start();
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void greet(Socket socket) {
    HostLink link;
    try {
      link = HostLink.accept(socket, key);
      if (!strangers.remove(socket)) {
        throw new IOException(strangers.toString());
      }
    } catch (IOException | RuntimeException e) {
      if (!isClosed) {
        String from = socket.getInetAddress().getHostAddress();
        String why =
            strangers.remove(socket) ? String.valueOf(e.getMessage()) : strangers.toString();
        tell(from, "refused a connection from %s: %s".formatted(from, why));
      }
      close(socket);
      return;
    }
    links.add(link);
    try (link) {
      if (!isClosed) {
        new Served(link).serve();
      }
    } finally {
      links.remove(link);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it is of no use any more
    }
  }

  /// Says something once for each host and message.
  private void tell(String from, String message) {
    if (told.size() < MOST_TOLD && told.add(from + " " + message)) {
      say(message);
    }
  }

  /// Says a line, of which others have chosen a part.
  private void say(String message) {
    says.accept(CONTROLS.matcher(message).replaceAll("?"));
  }

  // -- Coordinators.

  /// One connection of a coordinator, and the run that it is for.
  private final class Served {
    private final HostLink link;
    private List<Path> path = List.of();
    private @Nullable HostedRun run;

    Served(HostLink link) {
      this.link = link;
    }

    void serve() {
      try {
        while (true) {
          HostMessage message = link.receive();
          answer(message);
        }
      } catch (IOException | RuntimeException e) {
        leave(String.valueOf(e.getMessage()));
      } catch (Error e) { // else the processes would never hear of it
        leave(e.toString());
        throw e;
      }
    }

    private void leave(String why) {
      HostedRun its = run;
      if (its == null) {
        return;
      }
      if (isClosed) {
        say("run %s: its processes are ended, since this worker is".formatted(its.run()));
      } else if (!its.isOver()) {
        say(
            "run %s: its coordinator has gone (%s), and its processes end"
                .formatted(its.run(), why));
      }
      its.close();
      say(
          its.hasUnfinishedOutputs()
              ? "run %s: outputs are kept, of which only its coordinator knows: tigris recover %s --runs %s"
                  .formatted(its.run(), its.run(), runs)
              : "run %s: over".formatted(its.run()));
    }

    private void answer(HostMessage message) throws IOException {
      List<String> answer;
      Kind kind = Kind.DONE;
      try {
        answer = done(message.kind(), message.texts());
      } catch (IOException
          | IllegalArgumentException
          | IndexOutOfBoundsException
          | NoSuchElementException e) {
        kind = Kind.REFUSED;
        answer = List.of(String.valueOf(e.getMessage()));
        say("refused a coordinator at %s: %s".formatted(link.peer(), e.getMessage()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
      link.send(kind, message.id(), answer);
    }

    private List<String> done(Kind kind, List<String> texts)
        throws IOException, InterruptedException {
      switch (kind) {
        case REVOKED -> {
          if (key.takeRevoked(Base64.getDecoder().decode(texts.getFirst()))) {
            say("took the list of revoked keys of the coordinator at " + link.peer());
          }
        }
        case HELLO -> {
          path = code.find(texts);
          return List.of(String.valueOf(Runtime.getRuntime().availableProcessors()));
        }
        case FILES -> {
          return IntStream.range(0, texts.size())
              .filter(i -> Files.exists(Path.of(texts.get(i))))
              .mapToObj(String::valueOf)
              .toList();
        }
        case OPEN -> open(texts);
        case START -> {
          int attempt = Integer.parseInt(texts.get(0));
          int worker = Integer.parseInt(texts.get(1));
          opened().start(attempt, worker);
          say(
              "run %s: worker %d of attempt %d has started"
                  .formatted(opened().run(), worker, attempt));
        }
        case KILL -> opened().kill(Integer.parseInt(texts.get(0)), Integer.parseInt(texts.get(1)));
        case STOP -> opened().stop(Integer.parseInt(texts.get(0)));
        case OUTPUTS -> {
          return opened().outputs(Integer.parseInt(texts.get(0)));
        }
        case NAME -> {
          return opened().name(Integer.parseInt(texts.get(0)), Integer.parseInt(texts.get(1)));
        }
        case OVER -> opened().over();
        case DONE, REFUSED, ENDED -> throw new IOException("a coordinator does not say " + kind);
      }
      return List.of();
    }

    private HostedRun opened() throws IOException {
      HostedRun its = run;
      if (its == null) {
        throw new IOException("no run was opened on this connection");
      }
      return its;
    }

    private void open(List<String> texts) throws IOException {
      if (run != null) {
        throw new IOException("a run was opened on this connection already");
      }
      HostedRun opened =
          HostedRun.open(
              HostedRun.facts(texts),
              link.peerHost(),
              new HostedRun.Place(key, bound, listening.getLocalPort(), runs, path),
              (epoch, worker, message) -> ended(epoch.attempt(), worker, message));
      run = opened;
      say(
          "run %s of the coordinator at %s: its folder is %s"
              .formatted(opened.run(), link.peer(), opened.folder()));
    }

    private void ended(int attempt, int worker, String message) {
      try {
        link.send(
            Kind.ENDED,
            0,
            List.of(
                String.valueOf(attempt),
                String.valueOf(worker),
                "on %s, %s".formatted(key.name(), message)));
      } catch (IOException e) {
        // the coordinator has gone, and need not know
      }
    }
  }

  /// Stops listening, and ends the processes of all runs as if their coordinators were gone: what
  /// they have prepared is kept. Waits for that.
  @Override
  public void close() {
    isClosed = true;
    try {
      listening.close();
    } catch (IOException e) {
      // it is of no use any more
    }
    strangers.close();
    links.forEach(HostLink::close);
    boolean interrupted = false;
    try {
      thread.join();
      for (Thread each : threads) {
        each.join();
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
