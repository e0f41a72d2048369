package dev.tigris.cluster.run;

import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A program that throws in a place: `place`, as [Place] has them.
public final class Throws implements FlowProgram {
  private static final int WATERS = 200;
  private static final int SOON = 20;

  /// Where a program may throw.
  enum Place {
    CONSTRUCTOR,
    INIT,
    WORK,
    FINISH,
    DESTROY,
    SOURCE,
    SOURCE_FINISH
  }

  /// Thrown in that place.
  static final class Boom extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Boom(Place place) {
      super("boom in " + place);
    }
  }

  /// Makes the program.
  public Throws() {}

  @Override
  public Flow describe(Arguments arguments) {
    Place bad = Place.valueOf(arguments.word(0));
    return Flow.named("throws")
        .source("make", () -> new Maker(bad), 2)
        .reservoir(Reservoir.lottery().withWindow(2))
        .stage("work", () -> new Work(bad), 2)
        .reservoir(Reservoir.random())
        .stage("after", () -> (in, out) -> {}, 2)
        .build();
  }

  private static void enter(Place place, Place bad) {
    if (place == bad) {
      throw new Boom(place);
    }
  }

  private static final class Maker implements Source {
    private final Place bad;
    private int made;

    Maker(Place bad) {
      this.bad = bad;
    }

    @Override
    public boolean produce(Stream out) {
      out.put(out.spring().createWater(8));
      if (++made == SOON) {
        enter(Place.SOURCE, bad);
      }
      return made < WATERS;
    }

    @Override
    public void finish(Stream out) {
      enter(Place.SOURCE_FINISH, bad);
    }
  }

  private static final class Work implements Module {
    private final Place bad;
    private @Nullable ModuleContext context;
    private int worked;

    Work(Place bad) {
      this.bad = bad;
      enter(Place.CONSTRUCTOR, bad);
    }

    /// One of the two replicas throws, so that the other process hears of it.
    private void enterFirst(Place place) {
      if (Objects.requireNonNull(context).replica() == 1) {
        enter(place, bad);
      }
    }

    @Override
    public void init(ModuleContext given) {
      context = given;
      enterFirst(Place.INIT);
    }

    @Override
    public void process(Water in, Stream out) {
      if (++worked == SOON) {
        enterFirst(Place.WORK);
      }
      out.put(in);
    }

    @Override
    public void finish(Stream out) {
      enterFirst(Place.FINISH);
    }

    @Override
    public void destroy() {
      enterFirst(Place.DESTROY);
    }
  }
}
