// Over 400 lines: the steps of a worker's part of a flow, one after the other.
package dev.tigris.cluster.run;

import dev.tigris.cluster.Exchange;
import dev.tigris.cluster.ProcessPart;
import dev.tigris.cluster.Reach;
import dev.tigris.cluster.StreamOptions;
import dev.tigris.cluster.run.outputs.OutputNote;
import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.Failure;
import dev.tigris.cluster.run.protocol.Limits;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowEngine;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowPart;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.HeldEngine;
import dev.tigris.flow.Operation;
import dev.tigris.flow.PeerLostException;
import dev.tigris.flow.Resizing;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// The part of a run's flow that one worker has: describes the flow, starts the replicas that are
/// here, and ends them. The steps are made one after the other on a thread of their own, since
/// describing and connecting take time, and the worker has to answer meanwhile.
///
/// Thread rule: the worker's thread, unless a method says otherwise. The listener is called by any
/// thread.
final class Part implements AutoCloseable {
  private static final byte[] NOTHING = {};

  /// A report with more would not go through the link.
  private static final int MOST_RESULT_BYTES = 48 << 20;

  /// How long the end of a process waits for readers of taps.
  private static final long LINES_MILLIS = 1000;

  /// The part of the fence that modules have to end by themselves, in percent.
  private static final int MODULES_PERCENT = 80;

  /// Hears how the steps go.
  interface Listener {
    void described(Map<String, String> fingerprint);

    void wired();

    void initialized();

    void ended(byte[] results);

    void prepared();

    /// Hears that the outputs have their names, but for some.
    ///
    /// @param unclosed what a stream has thrown as it was closed; null if none has
    void published(List<String> unnamed, @Nullable Throwable unclosed);

    void failed(Failure.Kind kind, String message, Throwable cause);

    /// A step of a change was answered.
    void changed();

    void stopped();
  }

  private final int index;
  private final OutputNote note;
  private final Limits limits;
  private final Network network;
  private final Listener listener;
  private final Runnable halt;
  private final List<Fabric> fabrics;
  private final Exchange exchange;
  private final ExecutorService steps =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("tigris-part").factory());
  private final CompletableFuture<Fingerprint> code;
  private final Gates gates;
  private final AtomicBoolean isStopping = new AtomicBoolean();
  private boolean isFailureTold; // under this object's lock
  private volatile @Nullable Described flow;
  private volatile long seed;
  private volatile @Nullable ProcessPart whereStreamsAre;

  /// The steps of changes that this worker has made.
  private final StepLog.Making made = new StepLog.Making();

  /// Where the replicas are that have joined, and those that they have streams with.
  private final Map<Operation.End, Integer> added = new ConcurrentHashMap<>();
  private volatile @Nullable HeldEngine run;

  /// The copies that are sent to readers; only for the worker's thread.
  private final List<TapLine> lines = new ArrayList<>();

  /// @param contact how other workers are reached
  /// @param note names the outputs that are made here
  /// @param halt ends the process at once
  Part(Epoch epoch, int index, Contact contact, OutputNote note, Listener listener, Runnable halt) {
    this.index = index;
    this.note = note;
    this.limits = contact.limits();
    this.network = contact.network();
    this.listener = listener;
    this.gates = new Gates(listener::wired, listener::initialized);
    this.halt = halt;
    this.code =
        CompletableFuture.supplyAsync(() -> fingerprint(contact), Thread.ofVirtual()::start);
    this.fabrics = network.streams();
    this.exchange = new Exchange(contact.streams(), epoch.attempt(), StreamOptions.DEFAULT);
  }

  private static Fingerprint fingerprint(Contact contact) {
    try {
      return contact.fingerprint();
    } catch (IOException e) {
      throw new UncheckedIOException("the code of this process cannot be read", e);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("the code of the program is not in this process", e);
    }
  }

  /// Listens for the streams of other workers, and returns the address.
  String listen() {
    for (Fabric fabric : fabrics) {
      String _ = exchange.listen(fabric, network.anywhere(fabric));
    }
    return network.told(exchange.reach()).toString();
  }

  // -- The steps.

  /// Describes the flow.
  void describe(ByteBuffer description) {
    step(
        () -> {
          try (DataInputStream in = Frame.reading(description)) {
            String program = Wire.readText(in);
            Arguments arguments = Arguments.read(in);
            Described described = Programs.describe(Programs.load(program), arguments);
            flow = described;
            seed = arguments.seed();
            listener.described(code.join().with(arguments, described).parts());
          }
        });
  }

  /// Makes the streams of the replicas that are here.
  void wire(List<String> addresses) {
    step(
        () -> {
          Described described = flow;
          if (described == null) {
            throw new IllegalStateException("the flow was not described");
          }
          List<Reach> processes = new ArrayList<>();
          for (String address : addresses) {
            processes.add(Reach.of(Streams.streamsOf(address)));
          }
          if (described.program() instanceof GroupFlow group) {
            group.meet(exchange, described.graph(), described.placement(), processes);
          }
          Flow whole = described.flow();
          ProcessPart here =
              exchange.part(whole, replica -> place(described, replica), index, processes);
          whereStreamsAre = here;
          begin(whole.seededOr(seed), gates.before(here));
        });
  }

  private int place(Described described, Operation.End replica) {
    Integer place = added.get(replica);
    return place != null ? place : described.placement().process(replica);
  }

  /// Makes the steps of changes that have not been made yet. Modules' threads answer them.
  ///
  /// @param steps those that were not answered
  void change(ByteBuffer steps) throws IOException {
    ProcessPart here = whereStreamsAre;
    try (DataInputStream in = Frame.reading(steps)) {
      for (StepLog.Numbered each : made.take(StepLog.read(in))) {
        CompletableFuture<?> _ =
            answer(each.work(), Objects.requireNonNull(here))
                .thenAccept(
                    answer -> {
                      made.answered(each.number(), answer);
                      listener.changed();
                    });
      }
    }
  }

  private CompletableFuture<FlowEngine.Answer> answer(StepLog.Work work, ProcessPart here) {
    return switch (work) {
      case StepLog.Work.OfChange(Resizing.Step step, Map<Operation.End, Integer> processes) -> {
        added.putAll(processes);
        yield started().apply(step, here);
      }
      case StepLog.Work.OfTap(TapOrder order) -> attach(order);
      case StepLog.Work.OfGuest(GuestOrder order, int process) -> {
        started().meet(order.guest());
        here.meet(process, order.reach(), order.guest().key());
        yield CompletableFuture.completedFuture(FlowEngine.Answer.APPLIED);
      }
    };
  }

  private CompletableFuture<FlowEngine.Answer> attach(TapOrder tap) {
    TapLine line = TapLine.open(tap, index, started());
    lines.removeIf(old -> old.gone().isDone());
    lines.add(line);
    return line.attached()
        .handle(
            (nothing, thrown) ->
                thrown == null ? FlowEngine.Answer.APPLIED : FlowEngine.Answer.ENDED);
  }

  private void begin(Flow described, FlowPart here) {
    synchronized (isStopping) {
      if (isStopping.get()) {
        return;
      }
      run = described.start(here, note);
    }
    Thread.ofVirtual().name("tigris-part-end").start(this::awaitEnd);
  }

  private void awaitEnd() {
    HeldEngine started = run;
    if (started == null) {
      return;
    }
    try {
      started.awaitModules();
      end(started.results().encoded());
    } catch (FlowException e) {
      tell(e);
    } catch (CancellationException e) {
      // the worker is being stopped
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) { // such as results that are too large
      listener.failed(Failure.Kind.MODULE, "the flow cannot end: " + e, e);
    }
  }

  private void end(byte[] results) {
    if (results.length > MOST_RESULT_BYTES) {
      String why =
          "the results of worker %d have %,d bytes, of at most %,d: tell fewer, or write an output"
              .formatted(index, results.length, MOST_RESULT_BYTES);
      listener.failed(Failure.Kind.MODULE, why, new IllegalStateException(why));
    } else {
      listener.ended(results);
    }
  }

  /// Tells of a failure of the flow as soon as there is one, though it is not over yet. It breaks
  /// the streams to other workers, whose failures must not come first.
  void tellFailure() {
    FlowRun started = run;
    FlowException failure = started == null ? null : started.failure();
    if (failure != null) {
      tell(failure);
    }
  }

  /// Tells of the failure once. A second caller waits until the listener has been told.
  private synchronized void tell(FlowException failure) {
    if (!isFailureTold) {
      isFailureTold = true;
      boolean isLost = isPeerLost(failure) || isNotConnected(failure);
      boolean isOutput = failure.phase() == FlowException.Phase.CLOSE; // no module runs any more
      listener.failed(
          isLost ? Failure.Kind.LOST_PEER : isOutput ? Failure.Kind.DISK : Failure.Kind.MODULE,
          String.valueOf(failure.getMessage()),
          failure.getCause() == null ? failure : failure.getCause());
    }
  }

  private static boolean isPeerLost(FlowException failure) {
    return RemoteException.causes(failure).stream().anyMatch(PeerLostException.class::isInstance);
  }

  /// Returns whether a stream to another worker could not be opened.
  private static boolean isNotConnected(FlowException failure) {
    return failure.phase() == FlowException.Phase.OPEN
        && RemoteException.causes(failure).stream().anyMatch(NetException.class::isInstance);
  }

  /// Makes the modules, and lets them initialize.
  void initialize() {
    gates.initialize();
  }

  /// Lets the modules run.
  void run() {
    gates.run();
  }

  /// Ends what comes into the flow.
  void drain() {
    started().drain();
  }

  /// Brings the outputs and their note to the disk.
  void prepare() {
    step(
        () -> {
          try {
            started().prepare();
            note.prepare();
          } catch (FlowException e) {
            tell(e);
            return;
          } catch (IOException e) {
            listener.failed(
                Failure.Kind.DISK,
                "the outputs of worker %d cannot be noted: %s".formatted(index, e),
                e);
            return;
          }
          listener.prepared();
        });
  }

  /// Gives the outputs their names.
  void publish() {
    step(
        () -> {
          Throwable unclosed = null;
          try {
            started().publish();
          } catch (FlowException | RuntimeException | Error e) {
            unclosed = e; // each output that has not got its name is found below, and why
          }
          listener.published(named(), unclosed);
        });
  }

  /// Names what has no name yet. The coordinator waits for the answer, whatever happens here.
  private List<String> named() {
    try {
      return note.publish();
    } catch (RuntimeException | Error e) {
      return List.of(
          "the outputs of worker %d cannot be named: %s; see %s".formatted(index, e, note));
    }
  }

  private HeldEngine started() {
    HeldEngine started = run;
    if (started == null) {
      throw new IllegalStateException("the modules were not made");
    }
    return started;
  }

  /// Leaves what is prepared as it is, and says so.
  void keep() {
    if (!note.outputs().isEmpty()) {
      System.err.printf(
          "tigris: the coordinator does not answer, so outputs are kept: %s%n",
          RunFolder.recovery(note.folder()));
    }
  }

  /// Ends the modules, or else the process.
  void stop(String reason) {
    synchronized (isStopping) {
      if (!isStopping.compareAndSet(false, true)) {
        return;
      }
    }
    Thread _ = Thread.ofPlatform().daemon().name("tigris-part-stop").start(() -> end(reason));
  }

  private void end(String reason) {
    FlowRun started = run;
    Duration patience = Duration.ofNanos(limits.fenceNanos() / 100 * MODULES_PERCENT);
    boolean isOver = true;
    if (started != null) {
      started.cancel();
      gates.cancel(reason);
      try {
        isOver = started.await(patience);
      } catch (FlowException | CancellationException e) {
        // it has ended
      } catch (InterruptedException e) {
        isOver = false;
      }
    }
    if (isOver) {
      discard();
      listener.stopped();
    } else {
      System.err.printf(
          "tigris: modules of worker %d do not end within %d ms, so their process does (%s)%n",
          index, patience.toMillis(), reason);
      halt.run();
    }
  }

  private void discard() {
    try {
      note.discard();
    } catch (IOException e) {
      System.err.printf("tigris: outputs of worker %d cannot be deleted: %s%n", index, e);
    }
  }

  private interface Step {
    void make() throws Exception;
  }

  private void step(Step step) {
    steps.execute(
        () -> {
          try {
            step.make();
          } catch (Throwable e) { // a program may throw anything
            if (!isStopping.get()) {
              listener.failed(Failure.Kind.MODULE, "a step cannot be made: " + e, e);
            }
          }
        });
  }

  /// Returns what the replicas are doing and have told, as [RunProgress] reads it. Any thread.
  byte[] progress() {
    FlowRun started = run;
    return started == null
        ? NOTHING
        : Frame.bytes(
            out -> {
              RunProgress.write(out, started.load(), started.results());
              StepLog.writeAnswers(out, made.answers());
            });
  }

  /// Lets readers of taps have what is on its way to them, and hear of the end.
  private void awaitLines() {
    try {
      CompletableFuture.allOf(lines.stream().map(TapLine::gone).toArray(CompletableFuture[]::new))
          .get(LINES_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // a reader that does not read does not keep the process
    }
  }

  @Override
  public void close() {
    steps.shutdownNow();
    awaitLines();
    exchange.close();
    fabrics.forEach(Fabric::close);
  }
}
