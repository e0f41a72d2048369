package dev.tigris.bench;

import java.util.List;

/// A group that measures what another does under other conditions.
///
/// @param group itself
public record Variant(Group group) implements Group {
  @Override
  public String name() {
    return group.name();
  }

  @Override
  public List<String> figures() {
    return group.figures();
  }

  @Override
  public List<String> missing() {
    return group.missing();
  }

  @Override
  public boolean isVariant() {
    return true;
  }

  @Override
  public void measure(Run run) throws Exception {
    group.measure(run);
  }
}
