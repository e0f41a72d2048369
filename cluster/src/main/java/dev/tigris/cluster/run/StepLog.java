package dev.tigris.cluster.run;

import dev.tigris.flow.FlowEngine.Answer;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.Resizing;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The steps of changes that one worker makes in one attempt, and their answers. Messages may be
/// lost, doubled or overtaken. So each order has all steps that were not answered, and each report
/// all answers that may not have come:
///
/// ```
///   order:    (number, kind, work) ...                      in the order of their numbers
///     work 0: step of a change, process of each end
///     work 1: order of a tap
///     work 2: order of a guest, its process
///   report:   (number, answer) ...
/// ```
///
/// A step is made once: the worker takes those behind the last that it has taken. It forgets the
/// answers to steps that an order does not have any more.
///
/// Thread rule: one thread each.
final class StepLog {
  /// The steps of a change are fewer: a message with more is damaged.
  private static final int MOST = 1 << 20;

  private static final int STEP = 0;
  private static final int TAP = 1;
  private static final int GUEST = 2;

  /// The work of a step.
  sealed interface Work {
    /// A step of a change.
    ///
    /// @param processes where the ends of its stream are, and where its module is
    record OfChange(Resizing.Step step, Map<End, Integer> processes) implements Work {
      /// Copies the map.
      public OfChange {
        processes = Map.copyOf(processes);
      }
    }

    /// A tap is to be attached.
    record OfTap(TapOrder order) implements Work {}

    /// A guest is to be known.
    ///
    /// @param process the number of its process, which is none of the run's
    record OfGuest(GuestOrder order, int process) implements Work {}
  }

  /// A step with its place among those of the worker.
  ///
  /// @param number from 1
  record Numbered(long number, Work work) {}

  private StepLog() {}

  /// The coordinator's half.
  static final class Asking {
    private final Map<Long, Numbered> open = new LinkedHashMap<>();
    private long last;

    /// Adds a step, and returns its number.
    long add(Work work) {
      last++;
      open.put(last, new Numbered(last, work));
      return last;
    }

    boolean isEmpty() {
      return open.isEmpty();
    }

    List<Numbered> open() {
      return List.copyOf(open.values());
    }

    /// Takes an answer, and returns what it is to; null if it has come before.
    @Nullable Numbered answered(long number) {
      return open.remove(number);
    }
  }

  /// The worker's half.
  static final class Making {
    private final Map<Long, Answer> answers = new TreeMap<>();
    private long last;

    /// Takes all steps that were not answered, and returns those that did not come before.
    synchronized List<Numbered> take(List<Numbered> steps) {
      List<Numbered> fresh = new ArrayList<>();
      if (!steps.isEmpty()) { // an order without steps may be older than the steps
        long first = steps.getFirst().number();
        answers.keySet().removeIf(number -> number < first);
      }
      for (Numbered each : steps) {
        if (each.number() > last) {
          last = each.number();
          fresh.add(each);
        }
      }
      return fresh;
    }

    synchronized void answered(long number, Answer answer) {
      answers.put(number, answer);
    }

    synchronized Map<Long, Answer> answers() {
      return new TreeMap<>(answers);
    }
  }

  static void write(DataOutputStream out, List<Numbered> steps) throws IOException {
    out.writeInt(steps.size());
    for (Numbered each : steps) {
      out.writeLong(each.number());
      switch (each.work()) {
        case Work.OfChange change -> {
          out.writeByte(STEP);
          write(out, change);
        }
        case Work.OfTap(TapOrder order) -> {
          out.writeByte(TAP);
          order.write(out);
        }
        case Work.OfGuest(GuestOrder order, int process) -> {
          out.writeByte(GUEST);
          order.write(out);
          out.writeInt(process);
        }
      }
    }
  }

  private static void write(DataOutputStream out, Work.OfChange change) throws IOException {
    Resizing.Step step = change.step();
    out.writeInt(step.number());
    Wire.writeText(out, step.kind().name());
    write(out, step.module(), change);
    Resizing.Link link = step.link();
    out.writeBoolean(link != null);
    if (link != null) {
      Wire.writeText(out, link.reservoir());
      write(out, link.from(), change);
      write(out, link.to(), change);
      out.writeInt(link.number());
    }
  }

  private static void write(DataOutputStream out, End end, Work.OfChange in) throws IOException {
    Wire.writeText(out, end.name());
    out.writeInt(end.index());
    out.writeInt(in.processes().getOrDefault(end, 0));
  }

  static List<Numbered> read(DataInputStream in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > MOST) {
      throw new IOException(count + " steps in an order");
    }
    List<Numbered> steps = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        steps.add(new Numbered(in.readLong(), work(in)));
      }
    } catch (IllegalArgumentException e) {
      throw new IOException("a step cannot be read", e);
    }
    return steps;
  }

  private static Work work(DataInputStream in) throws IOException {
    int kind = in.readByte();
    return switch (kind) {
      case STEP -> {
        Map<End, Integer> processes = new LinkedHashMap<>();
        yield new Work.OfChange(step(in, processes), processes);
      }
      case TAP -> new Work.OfTap(TapOrder.read(in));
      case GUEST -> new Work.OfGuest(GuestOrder.read(in), in.readInt());
      default -> throw new IOException("a step of kind %d, which is unknown".formatted(kind));
    };
  }

  private static Resizing.Step step(DataInputStream in, Map<End, Integer> processes)
      throws IOException {
    int inChange = in.readInt();
    Resizing.Kind kind = Resizing.Kind.valueOf(Wire.readText(in));
    End module = end(in, processes);
    Resizing.@Nullable Link link = null;
    if (in.readBoolean()) {
      link =
          new Resizing.Link(
              Wire.readText(in), end(in, processes), end(in, processes), in.readInt());
    }
    return new Resizing.Step(inChange, kind, module, link);
  }

  private static End end(DataInputStream in, Map<End, Integer> processes) throws IOException {
    End end = new End(Wire.readText(in), in.readInt());
    processes.put(end, in.readInt());
    return end;
  }

  static void writeAnswers(DataOutputStream out, Map<Long, Answer> answers) throws IOException {
    out.writeInt(answers.size());
    for (Map.Entry<Long, Answer> each : answers.entrySet()) {
      out.writeLong(each.getKey());
      out.writeBoolean(each.getValue() == Answer.APPLIED);
    }
  }

  static Map<Long, Answer> readAnswers(DataInputStream in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > MOST) {
      throw new IOException(count + " answers in a report");
    }
    Map<Long, Answer> answers = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      answers.put(in.readLong(), in.readBoolean() ? Answer.APPLIED : Answer.ENDED);
    }
    return answers;
  }
}
