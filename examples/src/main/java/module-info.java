/// Small dataflows: the one that the README shows, and the experiment that the demo and the
/// benchmarks share.
module dev.tigris.examples {
  requires static org.jspecify;
  requires transitive dev.tigris.flow;

  exports dev.tigris.examples;
}
