package dev.tigris.sort;

import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.MemoryBudgetException;
import org.jspecify.annotations.Nullable;

/// A module of a sort on several processes, whose failures keep their kind on the way to the
/// process that has started the sort.
final class ToldModule implements Module {
  private final Maker maker;
  private final Step end;
  private @Nullable Module module;

  /// Makes the module itself, when it is to begin.
  interface Maker {
    Module make(ModuleContext context) throws Exception;
  }

  /// A call that may fail.
  interface Step {
    void make() throws Exception;
  }

  /// @param end is called when the module has ended, also if it could not be made
  ToldModule(Maker maker, Step end) {
    this.maker = maker;
    this.end = end;
  }

  private void make(Step step) throws Exception {
    try {
      step.make();
    } catch (SortException e) {
      throw new ToldException(e.kind(), e);
    } catch (MemoryBudgetException e) {
      throw new ToldException(SortException.Kind.MEMORY, SortException.noMemory(e));
    }
  }

  private Module module() {
    Module made = module;
    if (made == null) {
      throw new IllegalStateException("init comes first");
    }
    return made;
  }

  @Override
  public void init(ModuleContext context) throws Exception {
    make(
        () -> {
          Module made = maker.make(context);
          module = made;
          made.init(context);
        });
  }

  @Override
  public void process(Water in, Stream out) throws Exception {
    make(() -> module().process(in, out));
  }

  @Override
  public void finish(Stream out) throws Exception {
    make(() -> module().finish(out));
  }

  @Override
  public void destroy() throws Exception {
    make(
        () -> {
          try {
            if (module != null) {
              module.destroy();
            }
          } finally {
            end.make();
          }
        });
  }
}
