package dev.tigris.flow;

/// The kind of streams in memory, between two modules of this JVM.
enum MemoryKind implements StreamKind {
  MEMORY;

  @Override
  public Stream open(Place place) {
    return new MemoryStream(place);
  }

  @Override
  public Ends ends() {
    return Ends.BOTH;
  }

  @Override
  public String description() {
    return "memory";
  }
}
