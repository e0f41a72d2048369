/// Small dataflows: the one that the README shows, and the experiment that the demo and the
/// benchmarks share. The papers' file scan and their parallel matrix multiplication. And two rules
/// for the specializer, a program and a restricted one.
module dev.tigris.examples {
  requires static org.jspecify;
  requires dev.tigris.net;
  requires transitive dev.tigris.flow;
  requires transitive dev.tigris.specializer;

  exports dev.tigris.examples;
  exports dev.tigris.examples.complex;
  exports dev.tigris.examples.packets;

  provides dev.tigris.specializer.Rule with
      dev.tigris.examples.complex.ComplexRule;
}
