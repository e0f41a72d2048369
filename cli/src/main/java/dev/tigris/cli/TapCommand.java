package dev.tigris.cli;

import dev.tigris.cluster.run.TapReader;
import dev.tigris.cluster.run.outputs.RunRecord;
import dev.tigris.flow.Tap;
import dev.tigris.steering.RunClient;
import dev.tigris.steering.RunTap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// `tigris tap`: shows waters of a reservoir while its run goes on.
final class TapCommand implements Command {
  private static final String COUNT = "--count";
  private static final String LISTEN = "--listen";
  private static final String RATE = "--rate";
  private static final String BYTES = "--bytes";
  private static final String ALL = "--all";
  private static final String JSON = "--json";
  private static final long USUAL_RATE = 10;
  private static final long USUAL_BYTES = 64;
  private static final long MOST_BYTES = 1 << 20;
  private static final int WINDOW = 16;
  private static final Duration SLICE = Duration.ofMillis(200);
  private static final HexFormat HEX = HexFormat.ofDelimiter(" ");

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    RunFinder.addRun(spec);
    RunFinder.addPart(
        spec,
        "RESERVOIR",
        "The reservoir or drain. A reservoir without a name has that of the stage behind it.");
    spec.addOption(number(COUNT, "N", "End after so many, and not with the run."));
    spec.addOption(
        number(RATE, "N", "Show so many of each sender in a second at most, by default 10."));
    spec.addOption(number(BYTES, "N", "Show so many bytes of each at most, by default 64."));
    spec.addOption(Options.flag(ALL, "Show all, and let the run wait where they cannot be shown."));
    spec.addOption(Options.flag(JSON, "Print one JSON object for each."));
    spec.addOption(
        OptionSpec.builder(LISTEN)
            .type(String.class)
            .paramLabel("HOST")
            .description("The run is on other hosts, which reach this one by that name or address.")
            .build());
    RunFinder.addServer(spec);
    RunFinder.addCommon(spec);
    spec.usageMessage()
        .header("Show waters of a reservoir while its run goes on.")
        .description(
            "",
            "They are copies: a look does not disturb the run. The number of a water tells how many its sender has put before.",
            "")
        .footer(
            "", "Examples:", "  tigris tap 3f9a work", "  tigris tap 3f9a work --count 5 --json");
    return spec;
  }

  private static OptionSpec number(String name, String label, String description) {
    return OptionSpec.builder(name)
        .type(Long.class)
        .paramLabel(label)
        .description(description)
        .build();
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    RunRecord run = RunFinder.one(options);
    boolean isAll = options.hasMatchedOption(ALL);
    if (isAll && options.hasMatchedOption(RATE)) {
      throw new CommandException(ExitCode.USAGE, "give --all or --rate, not both");
    }
    long rate = isAll ? 0 : number(options, RATE, USUAL_RATE, 1_000_000);
    long bytes = number(options, BYTES, USUAL_BYTES, MOST_BYTES);
    long count = number(options, COUNT, Long.MAX_VALUE, Long.MAX_VALUE);
    Tap.Terms terms = new Tap.Terms((int) bytes, WINDOW, isAll, !isAll);
    String reservoir = options.matchedPositionalValue(1, "");
    String host = options.matchedOptionValue(LISTEN, "");
    RunClient client = RunFinder.client(run, options);
    try (RunTap tap = RunTap.open(client, reservoir, terms, (int) rate, host)) {
      long shown = 0;
      while (shown < count && !tap.isOver()) {
        TapReader.Copy copy = tap.poll(SLICE);
        if (copy != null) {
          shown++;
          console.out().println(options.hasMatchedOption(JSON) ? json(copy) : text(copy));
          console.out().flush();
        }
      }
      return ExitCode.OK;
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.FAILED,
          "run %s is not tapped: %s".formatted(RunFinder.digits(run), Printable.of(Reason.of(e))),
          e);
    } catch (InterruptedException e) { // as such a view is always left
      return CtrlC.exitCode();
    }
  }

  private static long number(ParseResult options, String name, long usual, long most)
      throws CommandException {
    Long given = options.matchedOptionValue(name, usual);
    if (given < 1 || given > most) {
      throw new CommandException(
          ExitCode.USAGE, "%s %d: give a number from 1 to %,d".formatted(name, given, most));
    }
    return given;
  }

  private static String json(TapReader.Copy copy) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("stage", copy.stage());
    members.put("replica", copy.replica());
    members.put("process", copy.process());
    members.put("number", copy.number());
    members.put("size", copy.size());
    members.put("base64", Base64.getEncoder().encodeToString(copy.bytes()));
    return Json.object(members);
  }

  /// Returns a line, with the bytes as text if they are such.
  private static String text(TapReader.Copy copy) {
    return "%s[%d] #%,d  %,d bytes  %s%s"
        .formatted(
            Printable.of(copy.stage()),
            copy.replica(),
            copy.number(),
            copy.size(),
            shown(copy.bytes()),
            copy.size() > copy.bytes().length ? " ..." : "");
  }

  private static String shown(byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      boolean isText = text.chars().noneMatch(c -> c < ' ' && c != '\t' && c != '\n' && c != '\r');
      if (isText) {
        return Printable.of(text);
      }
    } catch (CharacterCodingException e) {
      // bytes, then
    }
    return HEX.formatHex(bytes);
  }
}
