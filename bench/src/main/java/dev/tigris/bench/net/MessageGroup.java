package dev.tigris.bench.net;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Estimate;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.Scale;
import dev.tigris.message.Endpoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Active messages over one provider, beside the interface below and rivals: round trips by words
/// and by payload, bandwidth, and the rate of small messages one way. All bytes of a message are
/// written by its sender and read by its receiver, here and at the rivals. Tools that touch none
/// have a part in messages of words only, where there is nothing to gain by that.
///
/// Up to 512 messages of the rate are under way, 64 at the interface below, and 32 MiB of them at
/// Aeron.
///
/// Another group of this class has the figures of Chang 1999, section 3.4.4, where the interface
/// below is Javia-II and these are Jam.
final class MessageGroup implements Group {
  private static final String ALLOCATION = ".allocation";
  private static final double MEGA = 1e6;

  /// The longest message that tools are asked for which do not touch its bytes.
  private static final int MOST_UNTOUCHED_BYTES = Endpoint.MOST_WORDS * Long.BYTES;

  private final String name;
  private final Wire wire;

  /// Whether it has the paper's figures.
  private final boolean isPapers;

  private final Contestant subject;
  private final Contestant below;
  private final List<Contestant> invited;
  private final List<Contestant> rivals;

  /// The kinds of figures.
  private enum Kind {
    ROUND_TRIP("roundtrip", "ns", Better.LOWER),
    BANDWIDTH("bandwidth", "MB/s", Better.HIGHER),
    RATE("rate", "1/s", Better.HIGHER);

    private final String title;
    private final String unit;
    private final Better better;

    Kind(String title, String unit, Better better) {
      this.title = title;
      this.unit = unit;
      this.better = better;
    }
  }

  /// A measurement of one size.
  ///
  /// @param size as it stands in the figure's name
  /// @param paper what the paper has of it, beside the interface below
  private record Test(Kind kind, int bytes, String size, Optional<Then> paper) {
    String figure(String group) {
      return "%s.%s.%s".formatted(group, kind.title, size);
    }
  }

  /// A number of the paper.
  ///
  /// @param figure its name
  /// @param share what Jam had of what Javia-II had: of round trips more, of bandwidth less than 1
  /// @param note what a reader must know besides
  private record Then(String figure, double share, String note) {}

  private static final List<Test> TESTS =
      Stream.of(
              IntStream.of(0, 4, 8, 12, 16).mapToObj(MessageGroup::ofWords),
              IntStream.of(1 << 10, 8 << 10, 64 << 10)
                  .mapToObj(bytes -> of(Kind.ROUND_TRIP, bytes, Optional.empty())),
              IntStream.of(1 << 10, 8 << 10, 64 << 10)
                  .mapToObj(bytes -> of(Kind.BANDWIDTH, bytes, Optional.empty())),
              Stream.of(
                  of(
                      Kind.BANDWIDTH,
                      1 << 20,
                      Optional.of(new Then("paper.jbufs.fig3.13", 0.95, "75 MB/s, within 5 %")))),
              IntStream.of(16, 64, 256, 1 << 10)
                  .mapToObj(bytes -> of(Kind.RATE, bytes, Optional.empty())))
          .flatMap(Function.identity())
          .toList();

  /// Javia-II has 20.5 us, and Jam 31 us and 0.5 us for four words more.
  private static Test ofWords(int words) {
    double share = (31 + 0.5 * words / 4) / 20.5;
    String figure = "paper.jbufs.fig3.12." + words + "w";
    int bytes = words == 0 ? Integer.BYTES : words * Long.BYTES;
    Then then = new Then(figure, share, "31 us and 0.5 us for 4 words more, to 20.5 us");
    return new Test(Kind.ROUND_TRIP, bytes, words + "w", Optional.of(then));
  }

  private static Test of(Kind kind, int bytes, Optional<Then> paper) {
    return new Test(kind, bytes, InterfaceGroup.size(bytes), paper);
  }

  private MessageGroup(String name, boolean isPapers, Wire wire, List<Contestant> rivals) {
    this.name = name;
    this.isPapers = isPapers;
    this.wire = wire;
    this.subject = wire.messages();
    this.below = wire.subject(Messages.Kind.WHOLE);
    this.invited = rivals;
    List<Contestant> present = new ArrayList<>(List.of(below));
    rivals.stream().filter(rival -> rival.missing().isEmpty()).forEach(present::add);
    this.rivals = present;
  }

  /// Active messages over a provider.
  ///
  /// @param rivals besides the interface below
  static MessageGroup over(Wire wire, List<Contestant> rivals) {
    return new MessageGroup("message." + wire.name(), false, wire, rivals);
  }

  /// The paper's figures, over a provider.
  static MessageGroup papers(Wire wire) {
    return new MessageGroup("paper.jbufs.fig3", true, wire, List.of());
  }

  @Override
  public String name() {
    return name;
  }

  private List<Test> tests() {
    return isPapers ? TESTS.stream().filter(test -> test.paper().isPresent()).toList() : TESTS;
  }

  private String figure(Test test) {
    return isPapers ? test.paper().orElseThrow().figure() : test.figure(name);
  }

  @Override
  public List<String> missing() {
    return wire.obstacle().isPresent()
        ? List.of(name + " is left out: " + wire.obstacle().get())
        : invited.stream()
            .flatMap(
                rival ->
                    rival.missing().stream()
                        .map(
                            why ->
                                "%s is measured without %s: %s".formatted(name, rival.name(), why)))
            .toList();
  }

  @Override
  public List<String> figures() {
    if (wire.obstacle().isPresent()) {
      return List.of();
    }
    List<String> figures = new ArrayList<>();
    tests().forEach(test -> figures.add(figure(test)));
    if (!isPapers) {
      figures.add(name + ALLOCATION);
    }
    return figures;
  }

  private boolean isWanted(Run run, Test test) {
    return run.wants(figure(test)) || (!isPapers && run.wants(name + ALLOCATION));
  }

  /// Short messages most of all: a JVM that shares a processor with its compilers takes about a
  /// million of them until it has compiled the way.
  private static void warmUp(Exchange exchange) throws IOException, InterruptedException {
    exchange.pingPong(Integer.BYTES, 2_000);
    exchange.pingPong(4 * Long.BYTES, 2_000);
    exchange.pingPong(MOST_UNTOUCHED_BYTES, 2_000);
    exchange.bandwidth(2 * Long.BYTES, 20_000);
    exchange.bandwidth(256, 20_000);
    Session.WarmUp.everything(exchange);
  }

  @Override
  public void measure(Run run) throws Exception {
    List<Test> tests = tests().stream().filter(test -> isWanted(run, test)).toList();
    Map<Test, List<Session.Samples>> samples = new LinkedHashMap<>();
    List<Contestant> all = new ArrayList<>(List.of(subject));
    all.addAll(rivals);
    String note = "";
    int forks = run.scale().pick(1, 1, 4);
    for (int fork = 1; fork <= forks; fork++) {
      run.say("%s, processes %d of %d".formatted(name, fork, forks));
      try (Place place = wire.place(run.workFolder());
          Session session = Session.start(all, place, run.scale())) {
        note = place.note();
        session.warmUp(MessageGroup::warmUp, run.scale().pick(0, 2_000, 4_000));
        if (run.scale() != Scale.TINY) { // the first turns of all are slow, and do not count
          Session.Samples _ = session.measure(true, Long.BYTES, false);
        }
        for (Test test : tests) {
          boolean seldom = run.scale() != Scale.TINY && test.bytes() <= MOST_UNTOUCHED_BYTES;
          samples
              .computeIfAbsent(test, key -> new ArrayList<>())
              .add(session.measure(test.kind() == Kind.ROUND_TRIP, test.bytes(), seldom));
        }
      }
    }
    report(run, samples, note);
  }

  private void report(Run run, Map<Test, List<Session.Samples>> samples, String note) {
    if (isPapers) {
      samples.forEach((test, forks) -> besidePaper(run, test, forks));
      return;
    }
    double allocated = 0;
    for (Map.Entry<Test, List<Session.Samples>> entry : samples.entrySet()) {
      Test test = entry.getKey();
      List<Session.Samples> forks = entry.getValue();
      for (Contestant rival : rivals) {
        List<Pairs> values =
            forks.stream().flatMap(fork -> fork.values(subject, rival).stream()).toList();
        if (!values.isEmpty()) {
          Figure figure =
              Figure.of(
                  figure(test),
                  test.kind().unit,
                  test.kind().better,
                  rival.name(),
                  inUnit(test, values));
          run.emit(note.isEmpty() ? figure : figure.withNote(note));
        }
      }
      if (test.bytes() <= 64 << 10) {
        allocated =
            Math.max(
                allocated,
                Estimate.median(
                    forks.stream().mapToDouble(fork -> fork.allocated(subject)).toArray()));
      }
    }
    run.emit(
        Figure.once(name + ALLOCATION, allocated, "bytes", Better.LOWER, Bar.LIMIT, 0)
            .withNote("a message that fits a packet, the worst of all sizes"));
  }

  /// A rate is told in messages a second, and is measured in megabytes a second.
  private static List<Pairs> inUnit(Test test, List<Pairs> values) {
    double factor = test.kind() == Kind.RATE ? MEGA / test.bytes() : 1;
    return values.stream()
        .map(
            pairs ->
                new Pairs(
                    IntStream.range(0, pairs.count())
                        .mapToDouble(i -> pairs.subject(i) * factor)
                        .toArray(),
                    IntStream.range(0, pairs.count())
                        .mapToDouble(i -> pairs.peer(i) * factor)
                        .toArray()))
        .toList();
  }

  /// The share that messages have of the interface below, beside Jam's share of Javia-II.
  private void besidePaper(Run run, Test test, List<Session.Samples> forks) {
    Then then = test.paper().orElseThrow();
    List<Pairs> shares = new ArrayList<>();
    for (Session.Samples fork : forks) {
      fork.values(subject, below)
          .ifPresent(
              pairs -> {
                double[] papers = new double[pairs.count()];
                Arrays.fill(papers, then.share());
                shares.add(
                    new Pairs(
                        IntStream.range(0, pairs.count())
                            .mapToDouble(i -> pairs.subject(i) / pairs.peer(i))
                            .toArray(),
                        papers));
              });
    }
    run.emit(
        Figure.of(then.figure(), "of the interface", test.kind().better, Bar.PAPER, shares)
            .withNote("Jam, 1999: " + then.note()));
  }
}
