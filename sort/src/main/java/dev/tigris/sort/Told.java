package dev.tigris.sort;

import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Operator;
import dev.tigris.flow.Stream;
import dev.tigris.memory.MemoryBudgetException;
import org.jspecify.annotations.Nullable;

/// An operator of a sort on several processes, whose failures keep their kind on the way to the
/// process that has started the sort.
///
/// @param <O> what it is itself
class Told<O extends Operator> implements Operator {
  private final Maker<O> maker;
  private final Step end;
  private @Nullable O operator;

  /// Makes the operator itself, when it is to begin.
  interface Maker<O> {
    O make(ModuleContext context) throws Exception;
  }

  /// A call that may fail.
  interface Step {
    void make() throws Exception;
  }

  /// @param end is called when the operator has ended, also if it could not be made
  Told(Maker<O> maker, Step end) {
    this.maker = maker;
    this.end = end;
  }

  final void make(Step step) throws Exception {
    try {
      step.make();
    } catch (SortException e) {
      throw new ToldException(e.kind(), e);
    } catch (MemoryBudgetException e) {
      throw new ToldException(SortException.Kind.MEMORY, SortException.noMemory(e));
    }
  }

  final O operator() {
    O made = operator;
    if (made == null) {
      throw new IllegalStateException("init comes first");
    }
    return made;
  }

  @Override
  public void init(ModuleContext context) throws Exception {
    make(
        () -> {
          O made = maker.make(context);
          operator = made;
          made.init(context);
        });
  }

  @Override
  public void finish(Stream out) throws Exception {
    make(() -> operator().finish(out));
  }

  @Override
  public void destroy() throws Exception {
    make(
        () -> {
          try {
            if (operator != null) {
              operator.destroy();
            }
          } finally {
            end.make();
          }
        });
  }
}
