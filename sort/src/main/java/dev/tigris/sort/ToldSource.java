package dev.tigris.sort;

import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;

/// A source whose failures are [Told].
final class ToldSource extends Told<Source> implements Source {
  private boolean hasMore;

  ToldSource(Maker<Source> maker, Step end) {
    super(maker, end);
  }

  @Override
  public boolean produce(Stream out) throws Exception {
    make(() -> hasMore = operator().produce(out));
    return hasMore;
  }
}
