package dev.tigris.message.call;

/// A version of a service: [UpgradeTest] loads it by the name `ItemsAny`.
@Service("Items")
public interface ItemsBig {
  ItemBig grow(ItemBig item);
}
