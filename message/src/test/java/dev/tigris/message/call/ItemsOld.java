package dev.tigris.message.call;

/// The first version of a service: [UpgradeTest] loads it by the name `ItemsAny`.
@Service("Items")
public interface ItemsOld {
  ItemOld grow(ItemOld item);
}
