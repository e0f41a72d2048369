/// Virtual interfaces: messages between processes and hosts, out of and into memory that the
/// application manages itself.
module dev.tigris.net {
  requires static transitive org.jspecify;
  requires transitive dev.tigris.memory;

  exports dev.tigris.net;
}
