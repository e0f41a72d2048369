/// Flows over several processes: streams over virtual interfaces.
module dev.tigris.cluster {
  requires static transitive org.jspecify;
  requires transitive dev.tigris.flow;
  requires transitive dev.tigris.memory;
  requires transitive dev.tigris.net;

  exports dev.tigris.cluster;
}
