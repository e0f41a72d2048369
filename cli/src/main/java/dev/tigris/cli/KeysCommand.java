package dev.tigris.cli;

import dev.tigris.cluster.run.host.HostKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tigris keys`: makes the keys by which the hosts of a run trust each other.
final class KeysCommand implements Command {
  private static final String KEYS = "--keys";
  private static final String DAYS = "--days";
  private static final int USUAL_DAYS = 365;
  private static final int MOST_DAYS = 3650;

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    spec.addPositional(
        PositionalParamSpec.builder()
            .required(true)
            .index("0")
            .type(String.class)
            .paramLabel("ACTION")
            .description("init, worker, coordinator, revoke, or list.")
            .build());
    spec.addPositional(
        PositionalParamSpec.builder()
            .arity("0..*")
            .index("1..*")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel("NAME")
            .description("The host of a worker and its other names, or the key to revoke.")
            .build());
    spec.addOption(
        OptionSpec.builder(KEYS)
            .type(Path.class)
            .paramLabel("DIR")
            .description("The folder of keys (default: tigris/keys in XDG_CONFIG_HOME).")
            .build());
    spec.addOption(
        OptionSpec.builder(DAYS)
            .type(Integer.class)
            .paramLabel("N")
            .description("The key is valid for so many days (default: 365).")
            .build());
    spec.addOption(Options.debug());
    spec.addOption(Options.help());
    spec.usageMessage()
        .customSynopsis(
            "tigris keys [OPTIONS] init | worker HOST... | coordinator [NAME]",
            "                              | revoke NAME | list")
        .header("Make and revoke the keys of the hosts of runs.")
        .description(
            "",
            "Only their owner can read the files. A key moves to its host by your own means, and",
            "the authority's key need not lie on any. The list of revoked keys belongs beside",
            "the keys of coordinators: each run brings it to its hosts.",
            "")
        .footer(
            "",
            "Examples:",
            "  tigris keys init                     makes an authority",
            "  tigris keys worker h1.example        makes worker-h1.example.key",
            "  tigris keys coordinator              makes coordinator.key",
            "  tigris keys revoke h1.example        writes revoked.crl",
            "  tigris keys list");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    String action = options.matchedPositionalValue(0, "");
    List<String> names = options.matchedPositionalValue(1, List.of());
    Path given = options.matchedOptionValue(KEYS, null);
    Path folder = given == null ? HostKeys.usualFolder() : given;
    int days = options.matchedOptionValue(DAYS, USUAL_DAYS);
    if (days < 1 || days > MOST_DAYS) {
      throw misuse(options, "%s %d: a key is valid for 1 to %d".formatted(DAYS, days, MOST_DAYS));
    }
    try {
      switch (action) {
        case "init" -> {
          require(options, names, 0, 0);
          HostKeys _ = HostKeys.init(folder);
          console.out().printf("made the authority in %s: now make a key for each host%n", folder);
        }
        case "worker" -> {
          require(options, names, 1, Integer.MAX_VALUE);
          Path key = HostKeys.open(folder).worker(names, days);
          console.out().printf("made %s: move it to its host%n", key);
        }
        case "coordinator" -> {
          require(options, names, 0, 1);
          String name = names.isEmpty() ? "coordinator" : names.getFirst();
          Path key = HostKeys.open(folder).coordinator(name, days);
          console.out().printf("made %s: move it to the host that starts runs%n", key);
        }
        case "revoke" -> {
          require(options, names, 1, 1);
          revoke(HostKeys.open(folder), names.getFirst(), console);
        }
        case "list" -> {
          require(options, names, 0, 0);
          list(HostKeys.open(folder), console);
        }
        default ->
            throw misuse(
                options,
                "'%s' is no action: take init, worker, coordinator, revoke or list"
                    .formatted(action));
      }
    } catch (IOException e) {
      throw new CommandException(ExitCode.BAD_INPUT, Reason.of(e), e);
    }
    return ExitCode.OK;
  }

  private static ParameterException misuse(ParseResult options, String message) {
    return new ParameterException(options.commandSpec().commandLine(), message);
  }

  private static void require(ParseResult options, List<String> names, int least, int most) {
    if (names.size() < least || names.size() > most) {
      throw misuse(
          options,
          names.size() < least
              ? "name the host, or the key"
              : "'%s' is one name too many".formatted(names.get(most)));
    }
  }

  private static void revoke(HostKeys keys, String name, Console console) throws IOException {
    for (HostKeys.Issued each : keys.revoke(name)) {
      console.out().printf("revoked %s%n", text(each));
    }
    console
        .out()
        .printf(
            "%s belongs beside the key of each coordinator: runs bring it to their hosts%n",
            keys.revokedFile());
  }

  private static void list(HostKeys keys, Console console) throws IOException {
    for (HostKeys.Issued each : keys.list()) {
      console
          .out()
          .printf(
              "%s, %s%n",
              text(each),
              each.isRevoked()
                  ? "revoked"
                  : (each.isExpired() ? "expired on " : "valid until ") + each.end());
    }
  }

  private static String text(HostKeys.Issued key) {
    return "%s %s, number %s"
        .formatted(key.role().name().toLowerCase(Locale.ROOT), key.name(), key.number());
  }
}
