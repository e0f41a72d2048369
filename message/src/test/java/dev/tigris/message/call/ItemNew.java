package dev.tigris.message.call;

import dev.tigris.memory.Capacity;
import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import dev.tigris.memory.Utf8;
import org.jspecify.annotations.Nullable;

/// The second version of a class: [UpgradeTest] loads it by the name `ItemAny`.
public class ItemNew extends Pso {
  public @Nullable ItemNew next;
  public int size;
  public double price;

  @Capacity(8)
  public Utf8 name;

  public ItemNew(Container container) {
    super(container);
  }
}
