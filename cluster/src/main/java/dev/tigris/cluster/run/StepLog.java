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
///   order:    (number, step of a change, process of each end) or
///             (number, order of a tap) ...                  in the order of their numbers
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

  /// A step with its place among those of the worker.
  ///
  /// @param number from 1
  /// @param step of a change; null if it is a tap
  /// @param tap to attach; null if it is a step of a change
  /// @param processes where the ends of its stream are, and where its module is
  record Numbered(
      long number,
      Resizing.@Nullable Step step,
      @Nullable TapOrder tap,
      Map<End, Integer> processes) {
    Numbered {
      processes = Map.copyOf(processes);
    }
  }

  private StepLog() {}

  /// The coordinator's half.
  static final class Asking {
    private final Map<Long, Numbered> open = new LinkedHashMap<>();
    private long last;

    void add(Resizing.Step step, Map<End, Integer> processes) {
      last++;
      open.put(last, new Numbered(last, step, null, processes));
    }

    /// Adds a tap, and returns its number.
    long add(TapOrder tap) {
      last++;
      open.put(last, new Numbered(last, null, tap, Map.of()));
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
      TapOrder tap = each.tap();
      Resizing.Step step = each.step();
      out.writeLong(each.number());
      out.writeBoolean(tap != null);
      if (tap != null) {
        tap.write(out);
      } else if (step != null) {
        write(out, step, each);
      }
    }
  }

  private static void write(DataOutputStream out, Resizing.Step step, Numbered each)
      throws IOException {
    out.writeInt(step.number());
    Wire.writeText(out, step.kind().name());
    write(out, step.module(), each);
    Resizing.Link link = step.link();
    out.writeBoolean(link != null);
    if (link != null) {
      Wire.writeText(out, link.reservoir());
      write(out, link.from(), each);
      write(out, link.to(), each);
      out.writeInt(link.number());
    }
  }

  private static void write(DataOutputStream out, End end, Numbered in) throws IOException {
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
        long number = in.readLong();
        if (in.readBoolean()) {
          steps.add(new Numbered(number, null, TapOrder.read(in), Map.of()));
        } else {
          Map<End, Integer> processes = new LinkedHashMap<>();
          steps.add(new Numbered(number, step(in, processes), null, processes));
        }
      }
    } catch (IllegalArgumentException e) {
      throw new IOException("a step cannot be read", e);
    }
    return steps;
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
