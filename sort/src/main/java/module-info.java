/// Sorting records of a fixed size that need not fit memory, in one process or several, with a
// generator and a checker for
/// gensort's records.
module dev.tigris.sort {
  requires transitive dev.tigris.cluster;
  requires dev.tigris.flow;
  requires dev.tigris.os;
  requires dev.tigris.memory;
  requires jdk.unsupported; // direct I/O
  requires static transitive org.jspecify;

  exports dev.tigris.sort;
}
