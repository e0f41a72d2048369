/// Example programs: small dataflows, two programs that a stream joins, a file scan, a ring of
/// nodes that multiply matrices, and two rules for the specializer.
module dev.tigris.examples {
  requires static org.jspecify;
  requires dev.tigris.net;
  requires transitive dev.tigris.cluster;
  requires transitive dev.tigris.flow;
  requires transitive dev.tigris.specializer;

  exports dev.tigris.examples;
  exports dev.tigris.examples.complex;
  exports dev.tigris.examples.packets;

  provides dev.tigris.specializer.Rule with
      dev.tigris.examples.complex.ComplexRule;
}
