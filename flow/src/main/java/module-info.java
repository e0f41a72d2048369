/// Dataflow: modules, waters, streams and reservoirs.
module dev.tigris.flow {
  requires static transitive org.jspecify;
  requires dev.tigris.os;
  requires transitive dev.tigris.memory;

  exports dev.tigris.flow;
  exports dev.tigris.flow.arrow;
  exports dev.tigris.flow.mirror;
  exports dev.tigris.flow.operator;
  exports dev.tigris.flow.policy;
  exports dev.tigris.flow.testing;
  exports dev.tigris.flow.text;
}
