package dev.tigris.message.call;

import dev.tigris.memory.Capacity;
import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import dev.tigris.memory.Utf8;
import org.jspecify.annotations.Nullable;

/// A version of a class: [UpgradeTest] loads it by the name `ItemAny`.
public class ItemBig extends Pso {
  public long size;

  @Capacity(8)
  public Utf8 name;

  public long gone;
  public @Nullable ItemBig next;

  public ItemBig(Container container) {
    super(container);
  }
}
