package dev.tigris.cluster.run;

import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// A program whose flow is data: the stages and reservoirs that a client has put together, by the
/// names of classes that each process finds on its class path. Nobody has to write a program.
///
/// ```java
/// GraphProgram.Graph graph =
///     new GraphProgram.Graph(
///         List.of(
///             new GraphProgram.Stage("read", "trades.Read", 1, "{\"file\": \"trades.csv\"}"),
///             new GraphProgram.Stage("sum", "trades.Sum", 4, "")),
///         List.of(new GraphProgram.Stream("trades", "read", "sum", "lottery", 16)));
/// ClusterRun run = Cluster.processes(4).start(GraphProgram.class, graph.words());
/// ```
///
/// A class is a public [Source] or [Module]. It has a public constructor with one text, its
/// arguments, or one without parameters.
public final class GraphProgram implements FlowProgram {
  /// The policies by their names.
  private static final Map<String, Supplier<Reservoir>> POLICIES =
      Map.of(
          "lottery", Reservoir::lottery,
          "least-outstanding", Reservoir::leastOutstanding,
          "random", Reservoir::random,
          "round-robin", Reservoir::roundRobin);

  private static final String STAGE = "stage";
  private static final String STREAM = "stream";

  /// A stage.
  ///
  /// @param name its name
  /// @param module the name of the class of its modules
  /// @param replicas how many there are
  /// @param arguments what each is made with, usually JSON; empty for none
  public record Stage(String name, String module, int replicas, String arguments) {}

  /// A reservoir, by the papers' word.
  ///
  /// @param name its name
  /// @param from the stage that puts on it
  /// @param to the stage that takes from it
  /// @param policy one of [#policies]
  /// @param window how many waters of one sender are not finished at one receiver
  public record Stream(String name, String from, String to, String policy, int window) {}

  /// A whole flow.
  public record Graph(List<Stage> stages, List<Stream> streams) {
    /// Copies the lists.
    public Graph {
      stages = List.copyOf(stages);
      streams = List.copyOf(streams);
    }

    /// Returns the words that start it.
    public String[] words() {
      List<String> words = new ArrayList<>();
      for (Stage each : stages) {
        words.addAll(List.of(STAGE, each.name(), each.module()));
        words.addAll(List.of(String.valueOf(each.replicas()), each.arguments()));
      }
      for (Stream each : streams) {
        words.addAll(List.of(STREAM, each.name(), each.from(), each.to()));
        words.addAll(List.of(each.policy(), String.valueOf(each.window())));
      }
      return words.toArray(String[]::new);
    }
  }

  /// Makes the program. Each process does.
  public GraphProgram() {}

  /// Returns the names of the policies.
  public static List<String> policies() {
    return POLICIES.keySet().stream().sorted().toList();
  }

  @Override
  public Flow describe(Arguments arguments) throws ClassNotFoundException {
    Flow.Builder builder = Flow.named("graph");
    int at = 0;
    while (at < arguments.words().size()) {
      switch (arguments.word(at)) {
        case STAGE -> {
          addStage(
              builder,
              arguments.word(at + 1),
              arguments.word(at + 2),
              Integer.parseInt(arguments.word(at + 3)),
              arguments.word(at + 4));
          at += 5;
        }
        case STREAM -> {
          Reservoir reservoir =
              policy(arguments.word(at + 4))
                  .withWindow(Integer.parseInt(arguments.word(at + 5)))
                  .withName(arguments.word(at + 1));
          builder.connect(arguments.word(at + 2), arguments.word(at + 3), reservoir);
          at += 6;
        }
        default ->
            throw new IllegalArgumentException(
                "'%s' is neither a stage nor a stream of a graph".formatted(arguments.word(at)));
      }
    }
    return builder.build();
  }

  private static Reservoir policy(String name) {
    Supplier<Reservoir> made = POLICIES.get(name);
    if (made == null) {
      throw new IllegalArgumentException(
          "there is no policy '%s': there are %s".formatted(name, policies()));
    }
    return made.get();
  }

  private static void addStage(
      Flow.Builder builder, String name, String module, int replicas, String arguments)
      throws ClassNotFoundException {
    Class<?> found = Programs.find(module);
    Supplier<Object> maker = maker(found, arguments);
    if (Source.class.isAssignableFrom(found)) {
      builder.source(name, () -> (Source) maker.get(), replicas);
    } else if (Module.class.isAssignableFrom(found)) {
      builder.stage(name, () -> (Module) maker.get(), replicas);
    } else {
      throw new IllegalArgumentException(
          "class %s of stage %s is neither a %s nor a %s"
              .formatted(module, name, Source.class.getName(), Module.class.getName()));
    }
  }

  /// Returns what makes a module. It looks for the constructor now, so that a class without one is
  /// refused before anything starts.
  private static Supplier<Object> maker(Class<?> of, String arguments) {
    for (Constructor<?> each : of.getConstructors()) {
      boolean takesText =
          each.getParameterCount() == 1 && each.getParameterTypes()[0] == String.class;
      if (takesText) {
        return () -> made(each, arguments);
      }
    }
    for (Constructor<?> each : of.getConstructors()) {
      if (each.getParameterCount() == 0 && arguments.isEmpty()) {
        return () -> made(each);
      }
    }
    throw new IllegalArgumentException(
        "class %s has no public constructor %s"
            .formatted(
                of.getName(),
                arguments.isEmpty() ? "without parameters" : "that takes its arguments, a text"));
  }

  private static Object made(Constructor<?> by, Object... arguments) {
    try {
      return by.newInstance(arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException("%s cannot be made".formatted(by), e.getCause());
    } catch (InstantiationException | IllegalAccessException e) {
      throw new IllegalStateException(
          "%s cannot be made: it has to be public, of a public class that is not abstract"
              .formatted(by),
          e);
    }
  }
}
