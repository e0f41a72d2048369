package dev.tigris.cli;

import dev.tigris.cli.net.Client;
import dev.tigris.cli.net.MisuseException;
import dev.tigris.cli.net.Server;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tigris net`: shows which networks can be used, and measures them.
final class NetCommand implements Command {
  private static final String HERE = "127.0.0.1";
  private static final String HERE_ANY_PORT = "127.0.0.1:0";
  private static final String SHM = "shm";
  private static final int LAST_PORT = 65_535;
  private static final long BANDWIDTH_BYTES = 1L << 30;
  private static final long MOST_BYTES = 1L << 30;

  /// So that their bytes can be counted.
  private static final long MOST_MESSAGES = 1L << 32;
  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99};

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    spec.addPositional(
        PositionalParamSpec.builder()
            .required(true)
            .index("0")
            .type(String.class)
            .paramLabel("MODE")
            .description("info, pingpong, bandwidth, or serve.")
            .build());
    spec.addPositional(
        PositionalParamSpec.builder()
            .arity("0..1")
            .index("1")
            .type(String.class)
            .paramLabel("ADDRESS")
            .description(
                "serve: the address to listen at (default: any port).",
                "info: the host to reach (default: this one).",
                "Otherwise: the address of a 'tigris net serve';",
                "without one, two threads of this process talk.")
            .build());
    spec.addOption(
        OptionSpec.builder("--provider")
            .type(String.class)
            .paramLabel("P")
            .description(
                "Carry messages by provider P (default: the best one;",
                "serve: the best for other hosts, and for this one).")
            .build());
    spec.addOption(
        OptionSpec.builder("--size")
            .type(Long.class)
            .converters(Quantity.BYTES)
            .paramLabel("N")
            .description("Bytes in a message (default: 64, or 32k for bandwidth).")
            .build());
    spec.addOption(
        OptionSpec.builder("--count")
            .type(Long.class)
            .converters(Quantity.COUNT)
            .paramLabel("N")
            .description(
                "How many messages (default: 20k, or 1 GiB of them).",
                "A tenth as many go first, and are not measured.")
            .build());
    spec.addOption(Options.flag("--json", "Print one JSON object, for a failure too."));
    spec.addOption(Options.debug());
    spec.addOption(Options.help());
    spec.usageMessage()
        .header("Show which networks can be used, and measure them.")
        .footer(
            "",
            "Examples:",
            "  tigris net info                        providers, and what they lack",
            "  tigris net pingpong                    between two threads",
            "  tigris net serve 0.0.0.0:7000          on one host,",
            "  tigris net pingpong a:7000 --size 8k   on another: round trips",
            "  tigris net bandwidth a:7000 --json     and what goes one way");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    String mode = options.matchedPositionalValue(0, "");
    try {
      switch (mode) {
        case "info" -> info(options, console);
        case "pingpong", "bandwidth" -> measure(mode, options, console);
        case "serve" -> serve(options, console);
        default ->
            throw new ParameterException(
                options.commandSpec().commandLine(),
                "there is no mode '%s': use info, pingpong, bandwidth or serve".formatted(mode));
      }
    } catch (NetException e) {
      throw new CommandException(ExitCode.FAILED, String.valueOf(e.getMessage()), e);
    } catch (MisuseException e) {
      throw new ParameterException(
          options.commandSpec().commandLine(), String.valueOf(e.getMessage()), e);
    }
    return ExitCode.OK;
  }

  private static void info(ParseResult options, Console console) {
    String address = options.matchedPositionalValue(1, HERE);
    String host = hasPort(address) ? hostOf(address) : host(address);
    List<Fabric.Candidate> candidates = candidates(host);
    // tcp is always there, and reaches whatever has an address.
    String lastObstacle =
        candidates.stream()
            .filter(each -> each.name().equals("tcp"))
            .findFirst()
            .flatMap(Fabric.Candidate::obstacle)
            .orElse("no provider can");
    String best =
        candidates.stream()
            .filter(each -> each.obstacle().isEmpty())
            .map(Fabric.Candidate::name)
            .findFirst()
            .orElseThrow(() -> new NetException("reach", host, lastObstacle, null));
    if (options.hasMatchedOption("--json")) {
      var providers = new ArrayList<Map<String, Object>>();
      for (Fabric.Candidate each : candidates) {
        var facts = new LinkedHashMap<String, Object>();
        facts.put("name", each.name());
        facts.put("class", each.implementation());
        facts.put("usable", each.obstacle().isEmpty());
        each.obstacle().ifPresent(why -> facts.put("obstacle", why));
        providers.add(facts);
      }
      Map<String, Object> all = Json.success("net info");
      all.put("host", host);
      all.put("best", best);
      all.put("providers", providers);
      console.out().println(Json.object(all));
      return;
    }
    console.out().println("providers to reach " + host + ", in the order of preference:");
    for (Fabric.Candidate each : candidates) {
      String verdict =
          each.obstacle()
              .map(why -> "not usable: " + why)
              .orElse(each.name().equals(best) ? "usable, the best" : "usable");
      String type = each.implementation();
      if (each.name().equals(type)) { // it could not be asked for its name
        console.out().printf(Locale.ROOT, "  %s%n%16s%s%n", type, "", verdict);
      } else {
        console.out().printf(Locale.ROOT, "  %-13s %s%n%16s%s%n", each.name(), verdict, "", type);
      }
    }
  }

  /// Returns whether an address goes on behind the host. One of IPv6 without brackets does not.
  private static boolean hasPort(String address) {
    int colon = address.lastIndexOf(':');
    boolean isBare = colon != address.indexOf(':') && !address.startsWith("[");
    return colon >= 0 && !isBare && !address.endsWith("]");
  }

  /// Returns the host in an address, or that is all of it: a name, or one of IPv6 without brackets.
  private static String host(String address) {
    String host = hasPort(address) ? address.substring(0, address.lastIndexOf(':')) : address;
    return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
  }

  /// Opens what was asked for, or else the best, and says why none that is faster.
  private static Fabric open(ParseResult options, Console console) {
    String named = options.matchedOptionValue("--provider", null);
    if (named != null) {
      return MisuseException.asWritten(() -> Fabric.open(named));
    }
    String address = options.matchedPositionalValue(1, HERE_ANY_PORT);
    return best(candidates(hostOf(address)), address, console);
  }

  private static List<Fabric.Candidate> candidates(String host) {
    return MisuseException.asWritten(() -> Fabric.candidates(host));
  }

  private static Fabric best(List<Fabric.Candidate> candidates, String address, Console console) {
    for (Fabric.Candidate each : candidates) {
      if (each.obstacle().isEmpty()) {
        return Fabric.open(each.name());
      }
      console.err().printf(Locale.ROOT, "not by %s: %s%n", each.name(), each.obstacle().get());
    }
    throw new NetException("reach", address, "no provider can", null);
  }

  /// Returns the host in an address that every provider has to understand.
  private static String hostOf(String address) {
    String port = address.substring(address.lastIndexOf(':') + 1);
    if (!hasPort(address) || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > LAST_PORT) {
      throw new MisuseException(
          "'%s' is not an address of a host and a port, such as 127.0.0.1:7000 or [::1]:7000"
              .formatted(address));
    }
    return host(address);
  }

  /// Serves with the provider that was named. Without one, whoever connects takes the best to reach
  /// this host, which is another one from here than from elsewhere: so both serve.
  private static void serve(ParseResult options, Console console) throws Exception {
    String address = options.matchedPositionalValue(1, HERE_ANY_PORT);
    var others = new ArrayList<Fabric.Candidate>();
    boolean here = false;
    if (!options.hasMatchedOption("--provider")) {
      others.addAll(candidates(hostOf(address)));
      here = others.removeIf(each -> each.name().equals(SHM) && each.obstacle().isEmpty());
    }
    try (Fabric fabric =
            others.isEmpty() ? open(options, console) : best(others, address, console);
        Server server = new Server(fabric, address)) {
      if (here) {
        serveAlsoHere(server, fabric.provider(), options, console);
      } else {
        announce(List.of(fabric.provider()), server.address(), options, console);
        server.run();
      }
    }
    throw new InterruptedException();
  }

  private static void serveAlsoHere(
      Server server, String provider, ParseResult options, Console console)
      throws InterruptedException {
    try (Fabric fabric = Fabric.open(SHM);
        Server local = new Server(fabric, server.address())) {
      announce(List.of(provider, SHM), server.address(), options, console);
      Thread serving = Thread.ofPlatform().name("tigris-net-serve").start(local::run);
      try {
        server.run();
      } finally {
        boolean _ = Thread.interrupted(); // as Ctrl-C does, which the end of this says
        local.stop();
        serving.join();
      }
    }
  }

  private static void announce(
      List<String> providers, String address, ParseResult options, Console console) {
    if (options.hasMatchedOption("--json")) {
      Map<String, Object> facts = Json.success("net serve");
      facts.put("provider", providers.getFirst());
      facts.put("providers", providers);
      facts.put("address", address);
      console.out().println(Json.object(facts));
    } else {
      console
          .out()
          .printf(
              Locale.ROOT,
              "serving %s at %s until Ctrl-C%n",
              providers.getFirst() + (providers.size() > 1 ? ", and shm from this host," : ""),
              address);
    }
    console.out().flush();
  }

  private static void measure(String mode, ParseResult options, Console console)
      throws InterruptedException {
    String address = options.matchedPositionalValue(1, null);
    try (Fabric fabric = open(options, console)) {
      if (address != null) {
        report(mode, fabric, address, options, console);
        return;
      }
      try (Server server = new Server(fabric, HERE_ANY_PORT)) {
        Thread serving = Thread.ofPlatform().name("tigris-net-serve").start(server::run);
        try {
          report(mode, fabric, server.address(), options, console);
        } finally {
          server.stop();
          serving.join();
        }
      }
    }
  }

  private static void report(
      String mode, Fabric fabric, String address, ParseResult options, Console console)
      throws InterruptedException {
    boolean trips = mode.equals("pingpong");
    long bytes = options.matchedOptionValue("--size", trips ? 64L : 32L * 1024);
    if (bytes > MOST_BYTES) {
      throw new MisuseException(
          "'%d' bytes are too many for a message: at most 1 GiB".formatted(bytes));
    }
    long usual = trips ? 20_000 : Math.clamp(BANDWIDTH_BYTES / Math.max(1, bytes), 16, 1_000_000);
    long count = options.matchedOptionValue("--count", usual);
    if (count == 0) {
      throw new MisuseException("0 messages cannot be measured: give a larger --count");
    }
    if (count > MOST_MESSAGES) {
      throw new MisuseException(
          "%d messages are too many to measure at a time: at most %d"
              .formatted(count, MOST_MESSAGES));
    }
    Client client = new Client(fabric, address);
    Map<String, Object> facts = Json.success("net " + mode);
    facts.put("provider", fabric.provider());
    facts.put("address", address);
    facts.put("messageBytes", bytes);
    facts.put("messages", count);
    String sentence =
        "%,d messages of %,d bytes by %s to %s: "
            .formatted(count, bytes, fabric.provider(), address);
    if (trips) {
      Histogram histogram = client.pingPong((int) bytes, count);
      sentence += describe(histogram, facts);
    } else {
      Client.Bandwidth result = client.bandwidth((int) bytes, count);
      facts.put("seconds", result.nanos() / 1e9);
      facts.put("gigabytesPerSecond", result.gigabytesPerSecond());
      facts.put("messagesPerSecond", result.messagesPerSecond());
      sentence +=
          String.format(
              Locale.ROOT,
              "%.2f GB/s, %,.0f messages/s",
              result.gigabytesPerSecond(),
              result.messagesPerSecond());
    }
    console.out().println(options.hasMatchedOption("--json") ? Json.object(facts) : sentence);
  }

  /// Returns the round trips in a sentence; their numbers are added to `facts`.
  private static String describe(Histogram histogram, Map<String, Object> facts) {
    var text = new StringBuilder("round trips in us");
    facts.put("minimumNanos", histogram.getMinValue());
    for (double percentile : PERCENTILES) {
      long nanos = histogram.getValueAtPercentile(percentile);
      String name = String.valueOf(percentile).replaceAll("\\.0$", "");
      facts.put("p" + name.replace(".", "") + "Nanos", nanos);
      text.append(String.format(Locale.ROOT, ", %s %%: %.2f", name, nanos / 1e3));
    }
    facts.put("maximumNanos", histogram.getMaxValue());
    var steps = new ArrayList<Map<String, Object>>();
    for (var step : histogram.percentiles(5)) {
      var one = new LinkedHashMap<String, Object>();
      one.put("percentile", step.getPercentileLevelIteratedTo());
      one.put("nanos", step.getValueIteratedTo());
      one.put("count", step.getTotalCountToThisValue());
      steps.add(one);
    }
    facts.put("histogram", steps);
    return text.append(String.format(Locale.ROOT, ", longest: %.2f", histogram.getMaxValue() / 1e3))
        .toString();
  }
}
