package dev.tigris.sort;

import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;

/// Partitions what a [DealtProgram.Dealer] deals.
final class DealtPartitioner implements Module {
  private final PartSource source;

  DealtPartitioner(PartSource source) {
    this.source = source;
  }

  @Override
  public void init(ModuleContext context) throws Exception {
    source.init(context);
  }

  @Override
  public void process(Water in, Stream out) throws Exception {
    long to = in.bytes().getLong(DealtProgram.Dealer.TO);
    for (long part = in.bytes().getLong(DealtProgram.Dealer.FROM); part < to; part++) {
      source.take(part);
    }
  }

  @Override
  public void finish(Stream out) throws Exception {
    source.finish(out);
  }

  @Override
  public void destroy() throws Exception {
    source.destroy();
  }
}
