package dev.tigris.cluster.run;

import dev.tigris.cluster.Exchange;
import dev.tigris.cluster.Placement;
import dev.tigris.cluster.Reach;
import dev.tigris.cluster.group.Group;
import dev.tigris.cluster.group.GroupProgram;
import dev.tigris.cluster.group.GroupThreads;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.net.Fabric;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A group as a flow: one stage without streams, each replica of which runs a member. So a group is
/// started, watched, fenced and ended as any run is. Its words are the class of the program, the
/// number of members, and then the user's.
final class GroupFlow implements FlowProgram {
  private static final String STAGE = "member";
  private static final int OWN_WORDS = 2;

  private final @Nullable Class<? extends GroupProgram> program;

  /// Null until the processes know one another; and on threads.
  private volatile @Nullable GroupThreads meeting;

  private final Threads threads = new Threads();

  /// For processes, which load the program by its name.
  public GroupFlow() {
    this(null);
  }

  /// For threads.
  GroupFlow(@Nullable Class<? extends GroupProgram> program) {
    this.program = program;
  }

  /// Returns the words of a run.
  static String[] words(Class<? extends GroupProgram> program, int members, String... words) {
    List<String> all = new ArrayList<>(List.of(program.getName(), String.valueOf(members)));
    all.addAll(List.of(words));
    return all.toArray(String[]::new);
  }

  @Override
  public Flow describe(Arguments arguments) {
    int members = Integer.parseInt(arguments.word(1));
    Arguments own = arguments.from(OWN_WORDS);
    String name = arguments.word(0);
    return Flow.named("group").source(STAGE, () -> new Member(name, own), members).build();
  }

  /// Makes the members meet that are in several processes.
  ///
  /// @param processes where each listens
  void meet(Exchange exchange, FlowGraph graph, Placement placement, List<Reach> processes) {
    List<Reach> members = new ArrayList<>();
    for (int i = 0; i < graph.stages().getFirst().replicas(); i++) {
      members.add(processes.get(placement.process(new End(STAGE, i))));
    }
    meeting = new GroupThreads(exchange, members);
  }

  private GroupProgram made(String name) throws Exception {
    Class<? extends GroupProgram> its = program;
    if (its == null) {
      Class<?> found = Programs.find(name);
      its = found.asSubclass(GroupProgram.class);
    }
    try {
      return its.getConstructor().newInstance();
    } catch (NoSuchMethodException | InstantiationException | IllegalAccessException e) {
      throw new IllegalArgumentException(
          "%s has to be a public class, in an exported package, with a public constructor without parameters"
              .formatted(its),
          e);
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  /// A replica, which runs one member on its thread.
  private final class Member implements Source {
    private final String name;
    private final Arguments arguments;
    private @Nullable ModuleContext context;

    Member(String name, Arguments arguments) {
      this.name = name;
      this.arguments = arguments;
    }

    @Override
    public void init(ModuleContext given) {
      context = given;
      threads.enter();
    }

    @Override
    public boolean produce(Stream out) throws Exception {
      ModuleContext its = context;
      if (its == null) {
        throw new IllegalStateException("init was not called");
      }
      GroupProgram made = made(name);
      Group.Body body = group -> made.run(group, arguments);
      GroupThreads met = meeting;
      GroupThreads group = met == null ? threads.group(its.replicas()) : met;
      group.member(its.replica(), its.results(), body);
      return false;
    }

    @Override
    public void destroy() {
      threads.leave();
    }
  }

  /// The group of a run on threads, which is made by its first member and closed by its last.
  private static final class Threads {
    private int users;
    private @Nullable Fabric fabric;
    private @Nullable GroupThreads group;

    synchronized void enter() {
      users++;
    }

    synchronized GroupThreads group(int size) {
      GroupThreads its = group;
      if (its == null) {
        Network.OneHost network = Network.OneHost.best();
        Fabric opened = network.messages();
        fabric = opened;
        its = new GroupThreads(size, opened, network.anywhere(opened));
        group = its;
      }
      return its;
    }

    synchronized void leave() {
      if (--users == 0) {
        if (group != null) {
          group.close();
        }
        if (fabric != null) {
          fabric.close();
        }
      }
    }
  }
}
