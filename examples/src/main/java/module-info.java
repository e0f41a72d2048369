/// Small dataflows: the one that the README shows, and the experiment that the demo and the
/// benchmarks share. And a rule for the specializer.
module dev.tigris.examples {
  requires static org.jspecify;
  requires transitive dev.tigris.flow;
  requires transitive dev.tigris.specializer;

  exports dev.tigris.examples;
  exports dev.tigris.examples.complex;

  provides dev.tigris.specializer.Rule with
      dev.tigris.examples.complex.ComplexRule;
}
