package dev.tigris.message.call;

/// The second version of a service: [UpgradeTest] loads it by the name `ItemsAny`.
@Service("Items")
public interface ItemsNew {
  ItemNew grow(ItemNew item);
}
