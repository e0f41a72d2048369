package dev.tigris.sort;

import dev.tigris.flow.Module;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;

/// A module whose failures are [Told].
final class ToldModule extends Told<Module> implements Module {
  ToldModule(Maker<Module> maker, Step end) {
    super(maker, end);
  }

  @Override
  public void process(Water in, Stream out) throws Exception {
    make(() -> operator().process(in, out));
  }
}
