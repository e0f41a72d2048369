/// What proves the rest: a simulator of reservoirs, and stress tests.
module dev.tigris.verify {
  requires static org.jspecify;
  requires transitive dev.tigris.flow;

  exports dev.tigris.verify.simulator;
}
