package dev.tigris.cluster.run;

import dev.tigris.cluster.run.outputs.OutputNote;
import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.Failure;
import dev.tigris.cluster.run.protocol.Limits;
import dev.tigris.cluster.run.protocol.Order;
import dev.tigris.cluster.run.protocol.Report;
import dev.tigris.cluster.run.protocol.Word;
import dev.tigris.cluster.run.protocol.WorkerAct;
import dev.tigris.cluster.run.protocol.WorkerProtocol;
import dev.tigris.os.UnnamedOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// Drives a worker's half of the protocol of a run, in one process and one attempt: gives it the
/// messages and time that there are, and lets its [Part] do what it wants done.
///
/// Thread rule: [#run] is the thread; the others are for any.
final class Worker implements Part.Listener {
  private static final System.Logger LOG = System.getLogger(Worker.class.getName());
  private static final byte[] NOTHING = {};
  private static final int COORDINATOR = 0;

  /// How long a worker tries to reach its coordinator before it looks whether it still has to.
  private static final Duration REACH = Duration.ofSeconds(2);

  private static final Duration LAST_WORDS = Duration.ofMillis(200);

  /// Longer than any hang limit: a link that is silent for so long is of no use.
  private static final Duration LINK_PATIENCE = Duration.ofMinutes(5);

  /// Something that has happened, for the protocol.
  private interface Event {
    List<WorkerAct> tell(WorkerProtocol protocol, long nowNanos);
  }

  private final Epoch epoch;
  private final int index;
  private final Limits limits;
  private final Path folder;
  private final Contact contact;
  private final Runnable halt;

  /// The name of this host, if its outputs have to be told; empty if the coordinator sees the
  // notes.
  private final String tells;

  private final Queue<Event> events = new ConcurrentLinkedQueue<>();
  private volatile @Nullable ControlLink link;

  /// Whether the coordinator has been reached.
  private volatile boolean hasReached;

  /// Whether the process is needed for something else.
  private volatile boolean isLeaving;

  /// What has failed the worker, for its reports.
  private volatile byte[] thrown = NOTHING;

  /// @param folder the run's
  /// @param contact how the coordinator and other workers are reached
  /// @param halt ends the process at once
  Worker(Epoch epoch, int index, Path folder, Contact contact, Runnable halt) {
    this(epoch, index, folder, contact, halt, "");
  }

  /// @param folder where the notes of outputs lie
  /// @param tells the name of this host, if the coordinator does not see that folder
  Worker(Epoch epoch, int index, Path folder, Contact contact, Runnable halt, String tells) {
    this.tells = tells;
    this.epoch = epoch;
    this.index = index;
    this.limits = contact.limits();
    this.folder = folder;
    this.contact = contact;
    this.halt = halt;
  }

  /// Works until nothing is expected of this process any more.
  ///
  /// @throws IOException if the coordinator cannot be reached
  void run() throws IOException {
    String name = Streams.workerName(epoch, index);
    var note = new OutputNote(folder, epoch, index);
    Network network = contact.network();
    try (ControlLink made =
            new ControlLink(network.messages(), name, contact.token(), LINK_PATIENCE);
        Part part = new Part(epoch, index, contact, note, this, halt)) {
      link = made;
      String control = made.listen(network);
      new Loop(made, part, note, Streams.joined(control, part.listen())).run();
    } finally {
      link = null;
    }
  }

  private void happened(Event event) {
    events.add(event);
    ControlLink to = link;
    if (to != null) {
      to.wake();
    }
  }

  // -- What happens.

  /// Hears that the coordinator's process has ended. A worker that has not reached it holds nothing
  /// yet, and ends at once: its thread would go on trying for as long as a start may take.
  void coordinatorDied() {
    if (hasReached) {
      happened((protocol, now) -> protocol.coordinatorDied());
    } else {
      halt.run();
    }
  }

  /// Ends the worker as if the coordinator were gone.
  void leave() {
    isLeaving = true;
    if (hasReached) {
      happened((protocol, now) -> protocol.coordinatorDied());
    }
  }

  @Override
  public void described(Map<String, String> fingerprint) {
    happened((protocol, now) -> protocol.described(fingerprint, now));
  }

  @Override
  public void wired() {
    happened((protocol, now) -> protocol.wired(now));
  }

  @Override
  public void initialized() {
    happened((protocol, now) -> protocol.initialized(now));
  }

  @Override
  public void ended(byte[] results) {
    happened((protocol, now) -> protocol.ended(ByteBuffer.wrap(results), now));
  }

  @Override
  public void prepared() {
    happened((protocol, now) -> protocol.prepared(now));
  }

  @Override
  public void published(List<String> unnamed, @Nullable Throwable unclosed) {
    if (unclosed == null) {
      happened((protocol, now) -> protocol.published(unnamed, List.of(), now));
      return;
    }
    Throwable cause = unclosed.getCause() == null ? unclosed : unclosed.getCause();
    byte[] written = Frame.bytes(out -> RemoteException.write(out, cause));
    List<String> why = List.of(String.valueOf(unclosed.getMessage()));
    happened(
        (protocol, now) -> {
          thrown = written;
          return protocol.published(unnamed, why, now);
        });
  }

  @Override
  public void failed(Failure.Kind kind, String message, Throwable cause) {
    byte[] written = Frame.bytes(out -> RemoteException.write(out, cause));
    happened(
        (protocol, now) -> {
          if (thrown.length == 0) {
            thrown = written;
          }
          return protocol.failed(kind, message, now);
        });
  }

  @Override
  public void changed() {
    happened((protocol, now) -> protocol.repeat(now));
  }

  @Override
  public void stopped() {
    happened((protocol, now) -> protocol.stopped(now));
  }

  // -- The worker's thread.

  private final class Loop {
    private final ControlLink to;
    private final Part part;
    private final OutputNote note;
    private final WorkerProtocol protocol;

    /// The program and its arguments, as they came beside an order.
    private ByteBuffer description = ByteBuffer.wrap(NOTHING);

    /// The last report, if it could not be sent yet: it says all that those before did.
    private @Nullable Report unsent;

    private boolean isOver;

    Loop(ControlLink to, Part part, OutputNote note, String address) {
      this.to = to;
      this.part = part;
      this.note = note;
      this.protocol = new WorkerProtocol(epoch, index, address, limits, System.nanoTime());
    }

    void run() throws IOException {
      long end = System.nanoTime() + limits.joinNanos();
      String why = "this process is needed for something else";
      while (why != null) {
        if (isLeaving || System.nanoTime() - end >= 0) {
          throw new IOException("the coordinator of run %s: %s".formatted(epoch.run(), why));
        }
        why =
            to.map(COORDINATOR, contact.address(), ControlLink.COORDINATOR, contact.token(), REACH);
      }
      hasReached = true;
      if (isLeaving) {
        leave();
      }
      perform(protocol.start(System.nanoTime()));
      while (!isOver) {
        step();
      }
      to.drain(LAST_WORDS);
    }

    private void step() {
      to.await(Duration.ofNanos(limits.beatNanos()));
      // If this process was stopped for a while, its lease has run out before all that has come.
      perform(protocol.tick(System.nanoTime()));
      part.tellFailure();
      takeEvents();
      for (byte[] message = to.next(); message != null; message = to.next()) {
        receive(message);
      }
      takeEvents();
      send();
    }

    private void takeEvents() {
      for (Event event = events.poll(); event != null; event = events.poll()) {
        perform(event.tell(protocol, System.nanoTime()));
      }
    }

    private void receive(byte[] message) {
      try {
        if (Frame.read(message) instanceof Frame.Content.OfOrder(Order order, ByteBuffer beside)) {
          boolean isOurs = beside.hasRemaining() && order.epoch().equals(epoch);
          if (isOurs && order.step() instanceof Order.Step.Describe) {
            description = beside;
          }
          perform(protocol.receive(possible(order), System.nanoTime()));
          boolean hasModules =
              protocol.word() instanceof Word.Running || protocol.word() instanceof Word.Ended;
          if (isOurs && hasModules) {
            part.change(beside);
          }
        }
      } catch (IOException e) {
        LOG.log(System.Logger.Level.WARNING, "a message to worker " + index + " is wrong", e);
      }
    }

    /// The description comes once, and may be overtaken by orders that only repeat the step.
    private Order possible(Order order) {
      return order.step() instanceof Order.Step.Describe && !description.hasRemaining()
          ? new Order(order.epoch(), order.answered(), new Order.Step.Wait())
          : order;
    }

    private void perform(List<WorkerAct> acts) {
      acts.forEach(this::perform);
    }

    private void perform(WorkerAct act) {
      switch (act) {
        case WorkerAct.Send(Report report) -> {
          unsent = report;
          send();
        }
        case WorkerAct.Describe() -> part.describe(description);
        case WorkerAct.Wire(List<String> addresses) -> part.wire(addresses);
        case WorkerAct.Initialize() -> part.initialize();
        case WorkerAct.Run() -> part.run();
        case WorkerAct.Drain() -> part.drain();
        case WorkerAct.Prepare() -> part.prepare();
        case WorkerAct.Publish() -> part.publish();
        case WorkerAct.Stop(String reason) -> {
          tellIfUnheard();
          part.stop(reason);
        }
        case WorkerAct.Keep() -> part.keep();
        case WorkerAct.Leave() -> isOver = true;
      }
    }

    /// Tells the log why the worker ends, since the coordinator may never hear it.
    private void tellIfUnheard() {
      if (protocol.word() instanceof Word.Failing(Failure failure)
          && failure.kind() == Failure.Kind.UNHEARD) {
        System.err.printf("tigris: %s%n", failure.message());
      }
    }

    private void send() {
      Report report = unsent;
      if (report != null && to.send(COORDINATOR, Frame.of(report, beside(report.word())))) {
        unsent = null;
      }
    }

    private byte[] outputs() {
      List<String> texts = new ArrayList<>();
      for (UnnamedOutput output : note.outputs()) {
        texts.add(tells);
        texts.add(output.temporary().toString());
        texts.add(output.target().toString());
      }
      return Frame.bytes(out -> Wire.writeTexts(out, texts));
    }

    private byte[] beside(Word word) {
      return switch (word) {
        case Word.Wired _, Word.Initialized _, Word.Running _, Word.Ended _ -> part.progress();
        case Word.Failing _, Word.Failed _, Word.Published _ -> thrown;
        case Word.Prepared _ -> tells.isEmpty() ? NOTHING : outputs();
        default -> NOTHING;
      };
    }
  }
}
