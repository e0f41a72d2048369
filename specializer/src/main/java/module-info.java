/// Rewrites class files so that the fields of pre-serialized objects live in their containers.
///
/// It knows `dev.tigris.memory` by name only, so that `memory` itself can be specialized in the
/// same build.
module dev.tigris.specializer {
  requires transitive java.instrument;
  requires static transitive org.jspecify;

  uses dev.tigris.specializer.Rule;

  exports dev.tigris.specializer;
  exports dev.tigris.specializer.patch;
}
