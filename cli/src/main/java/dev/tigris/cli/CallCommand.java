package dev.tigris.cli;

import dev.tigris.cli.call.Answer;
import dev.tigris.cli.call.Arguments;
import dev.tigris.cli.call.CallInputException;
import dev.tigris.cli.call.ServiceFinder;
import dev.tigris.cli.layout.StoredTypes;
import dev.tigris.message.call.CallException;
import dev.tigris.message.call.CallOptions;
import dev.tigris.message.call.CallServer;
import dev.tigris.message.call.Calls;
import dev.tigris.message.call.Health;
import dev.tigris.message.call.MethodDescription;
import dev.tigris.message.call.Results;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import dev.tigris.specializer.ClassPath;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tigris call`: lists, describes and calls the methods of a server.
final class CallCommand implements Command {
  private static final String DESCRIBE = "--describe";
  private static final String DEADLINE = "--deadline";
  private static final String PROVIDER = "--provider";
  private static final String JSON = "--json";

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    spec.addPositional(
        PositionalParamSpec.builder()
            .required(true)
            .index("0")
            .type(String.class)
            .paramLabel("SERVER")
            .description("HOST:PORT, or NAME@HOST:PORT.")
            .build());
    spec.addPositional(
        PositionalParamSpec.builder()
            .arity("0..1")
            .index("1")
            .type(String.class)
            .paramLabel("METHOD")
            .description("The method to call, such as Orders.find. Without one, lists all.")
            .build());
    spec.addPositional(
        PositionalParamSpec.builder()
            .arity("0..*")
            .index("2..*")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel("ARG")
            .description(
                "Its arguments: numbers, texts, bytes as Base64, objects as JSON, or null.",
                "Negative numbers come behind '--'.")
            .build());
    spec.addOption(
        Options.classPath(
            "Folders and jars with the service and its specialized classes, separated by"
                + " '%s' (default: target/classes).".formatted(File.pathSeparator),
            "--class-path",
            "-cp"));
    spec.addOption(
        Options.flag(DESCRIBE, "Print the methods of SERVER, of a service, or one, with schemas."));
    spec.addOption(
        OptionSpec.builder(DEADLINE)
            .type(Integer.class)
            .paramLabel("SECONDS")
            .description("How long to wait (default: 10).")
            .build());
    spec.addOption(
        OptionSpec.builder(PROVIDER)
            .type(String.class)
            .paramLabel("P")
            .description("Reach the server by provider P (default: tcp).")
            .build());
    spec.addOption(Options.flag(JSON, "Print one JSON object, for a failure too."));
    spec.addOption(Options.debug());
    spec.addOption(Options.help());
    spec.usageMessage()
        .header("List, describe and call the methods of a server.")
        .footer(
            "",
            "Examples:",
            "  tigris call a:7400                              what it serves",
            "  tigris call a:7400 Orders --describe            with schemas",
            "  tigris call a:7400 Orders.find 17               calls a method",
            "  tigris call -cp app.jar a:7400 Orders.place '{\"id\": 17}'");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    String server = options.matchedPositionalValue(0, "");
    String at = server.indexOf('@') > 0 ? server : CallServer.ANY_NAME + "@" + server;
    int seconds = options.matchedOptionValue(DEADLINE, 10);
    if (seconds < 1) {
      throw wrong(options, "%s is %d: it is at least 1".formatted(DEADLINE, seconds), null);
    }
    CallOptions its =
        CallOptions.DEFAULT
            .withDeadline(Duration.ofSeconds(seconds))
            .withConnecting(Duration.ofSeconds(seconds));
    try (Fabric fabric = Fabric.open(options.matchedOptionValue(PROVIDER, "tcp"))) {
      Health client = Calls.client(Health.class, fabric, at, its);
      try {
        String method = options.matchedPositionalValue(1, "");
        if (method.isEmpty() || options.hasMatchedOption(DESCRIBE)) {
          list(method, options, console, client);
        } else {
          call(method, options, console, client);
        }
      } finally {
        Calls.close(client);
      }
    } catch (CallException | NetException e) {
      throw new CommandException(ExitCode.FAILED, String.valueOf(e.getMessage()), e);
    } catch (CallInputException e) {
      throw new CommandException(ExitCode.BAD_INPUT, String.valueOf(e.getMessage()), e);
    } catch (IllegalArgumentException e) {
      throw wrong(options, String.valueOf(e.getMessage()), e);
    }
    return ExitCode.OK;
  }

  private static ParameterException wrong(
      ParseResult options, String why, @Nullable Throwable cause) {
    return new ParameterException(options.commandSpec().commandLine(), why, cause);
  }

  // ---- listing and describing

  private static void list(String wanted, ParseResult options, Console console, Object client)
      throws CommandException {
    List<MethodDescription> all =
        Calls.describe(client).stream()
            .filter(
                each ->
                    wanted.isEmpty()
                        || each.name().equals(wanted)
                        || each.name().startsWith(wanted + "."))
            .toList();
    if (all.isEmpty()) {
      throw new CommandException(
          ExitCode.BAD_INPUT,
          "the server has no '%s', but %s"
              .formatted(
                  wanted, Calls.describe(client).stream().map(MethodDescription::name).toList()));
    }
    boolean describes = options.hasMatchedOption(DESCRIBE);
    if (options.hasMatchedOption(JSON)) {
      Map<String, Object> facts = Json.success("call");
      facts.put("methods", all.stream().map(each -> facts(each, describes)).toList());
      console.out().println(Json.object(facts));
      return;
    }
    for (MethodDescription each : all) {
      console.out().println(text(each));
      if (describes) {
        console.out().print(details(each));
      }
    }
  }

  private static String text(MethodDescription method) {
    String result = method.result().name();
    return "%s %s(%s)"
        .formatted(
            method.isStream() ? "Results<%s>".formatted(result) : result,
            method.name(),
            String.join(
                ", ", method.parameters().stream().map(MethodDescription.Type::name).toList()));
  }

  private static String details(MethodDescription method) {
    var text = new StringBuilder();
    if (method.isIdempotent()) {
      text.append("  may be tried again\n");
    }
    for (var schema : schemas(method).entrySet()) {
      text.append("  %s:\n".formatted(schema.getKey()));
      schema.getValue().lines().forEach(line -> text.append("    ").append(line).append('\n'));
    }
    return text.toString();
  }

  private static Map<String, String> schemas(MethodDescription method) {
    Map<String, String> schemas = new LinkedHashMap<>();
    List<MethodDescription.Type> types = new ArrayList<>(method.parameters());
    types.add(method.result());
    for (MethodDescription.Type type : types) {
      if (type.schema() != null) {
        schemas.put(type.name(), type.schema().toString());
      }
    }
    return schemas;
  }

  private static Map<String, Object> facts(MethodDescription method, boolean describes) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("name", method.name());
    facts.put("parameters", method.parameters().stream().map(each -> each.name()).toList());
    facts.put("result", method.result().name());
    facts.put("stream", method.isStream());
    facts.put("idempotent", method.isIdempotent());
    if (describes) {
      facts.put("schemas", schemas(method));
    }
    return facts;
  }

  // ---- calling

  private static void call(String name, ParseResult options, Console console, Health client)
      throws Exception {
    int dot = name.lastIndexOf('.');
    if (dot <= 0) {
      throw wrong(
          options,
          "'%s' is no method: write Orders.find, or %s for a service".formatted(name, DESCRIBE),
          null);
    }
    List<Path> places =
        ClassPath.parse(options.matchedOptionValue(Options.CLASSPATH, "target/classes"));
    ClassLoader ours = CallCommand.class.getClassLoader();
    boolean isOurs = name.startsWith("tigris.Health.");
    try (var loader =
        new URLClassLoader("user classes", isOurs ? new URL[0] : StoredTypes.urls(places), ours)) {
      Class<?> service =
          isOurs ? Health.class : new ServiceFinder(loader, places).find(name.substring(0, dot));
      Method method = ServiceFinder.method(service, name.substring(dot + 1));
      Object stub = Calls.client(service, client);
      List<String> words = options.matchedPositionalValue(2, List.of());
      Class<?>[] types = method.getParameterTypes();
      if (words.size() != types.length) {
        throw wrong(
            options,
            "%s has %d arguments, and %d are given".formatted(name, types.length, words.size()),
            null);
      }
      Arguments arguments = new Arguments(stub);
      @Nullable Object[] values = new @Nullable Object[types.length];
      for (int i = 0; i < types.length; i++) {
        values[i] = arguments.of(words.get(i), types[i]);
      }
      print(invoke(method, stub, values), options, console);
    }
  }

  private static @Nullable Object invoke(Method method, Object stub, @Nullable Object[] arguments)
      throws Exception {
    try {
      Object result =
          ServiceFinder.lookup(method.getDeclaringClass())
              .unreflect(method)
              .bindTo(stub)
              .invokeWithArguments(arguments);
      return result instanceof CompletableFuture<?> future ? future.join() : result;
    } catch (CompletionException e) {
      throw e.getCause() instanceof CallException cause ? cause : e;
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a call throws nothing else", e);
    }
  }

  private static void print(@Nullable Object result, ParseResult options, Console console)
      throws CallInputException, IOException {
    boolean isJson = options.hasMatchedOption(JSON);
    if (!(result instanceof Results<?> stream)) {
      Object answer = Answer.of(result);
      if (isJson) {
        Map<String, @Nullable Object> facts = new LinkedHashMap<>(Json.success("call"));
        facts.put("result", answer);
        console.out().println(Json.object(facts));
      } else if (result != null) {
        console.out().println(Json.value(answer));
      }
      return;
    }
    List<@Nullable Object> all = new ArrayList<>();
    try (stream) {
      while (stream.hasNext()) {
        Object answer = Answer.of(stream.next());
        if (isJson) {
          all.add(answer);
        } else {
          console.out().println(Json.value(answer));
        }
      }
    }
    if (isJson) {
      Map<String, @Nullable Object> facts = new LinkedHashMap<>(Json.success("call"));
      facts.put("results", all);
      console.out().println(Json.object(facts));
    }
  }
}
