/// Matrices outside the heap, their product in one process or several, and NumPy's files.
module dev.tigris.matrix {
  requires static jdk.incubator.vector;
  requires static transitive org.jspecify;
  requires dev.tigris.flow;
  requires dev.tigris.os;
  requires transitive dev.tigris.cluster;
  requires transitive dev.tigris.memory;

  exports dev.tigris.matrix;
}
