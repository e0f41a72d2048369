package dev.tigris.cli.call;

import dev.tigris.memory.Bytes;
import dev.tigris.message.call.Results;
import dev.tigris.message.call.Service;
import org.jspecify.annotations.Nullable;

/// A service that is called from the command line.
@Service("Market.Stall")
interface Stall {
  @Nullable Fruit find(long id);

  String echo(@Nullable Fruit fruit, double factor, String note);

  @Nullable Bytes reverse(@Nullable Bytes bytes);

  Results<Fruit> all(int count);

  void refuse(boolean isFatal);
}
