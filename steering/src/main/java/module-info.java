/// The control API of a run, and its clients.
@SuppressWarnings("requires-automatic") // Micrometer has no module descriptors
module dev.tigris.steering {
  requires static transitive org.jspecify;
  requires com.fasterxml.jackson.core;
  requires dev.tigris.flow;
  requires io.helidon.webserver;
  requires io.prometheus.metrics.model;
  requires java.logging;
  requires jdk.jfr;
  requires micrometer.registry.prometheus;
  requires transitive dev.tigris.cluster;

  exports dev.tigris.steering;
}
