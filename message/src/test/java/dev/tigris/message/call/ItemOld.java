package dev.tigris.message.call;

import dev.tigris.memory.Capacity;
import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import dev.tigris.memory.Utf8;
import org.jspecify.annotations.Nullable;

/// The first version of a class: [UpgradeTest] loads it by the name `ItemAny`.
public class ItemOld extends Pso {
  public long gone;
  public int size;

  @Capacity(8)
  public Utf8 name;

  public @Nullable ItemOld next;

  public ItemOld(Container container) {
    super(container);
  }
}
