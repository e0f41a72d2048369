/// The control API of a run, and its clients.
module dev.tigris.steering {
  requires static transitive org.jspecify;
  requires com.fasterxml.jackson.core;
  requires dev.tigris.flow;
  requires io.helidon.webserver;
  requires java.logging;
  requires jdk.jfr;
  requires transitive dev.tigris.cluster;

  exports dev.tigris.steering;
}
