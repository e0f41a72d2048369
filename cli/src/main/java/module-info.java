/// The `tigris` command.
@SuppressWarnings("requires-automatic") // XChart and HdrHistogram have no module descriptors
module dev.tigris.cli {
  requires static org.jspecify;
  requires dev.tigris.cluster;
  requires dev.tigris.matrix;
  requires dev.tigris.memory;
  requires dev.tigris.message;
  requires dev.tigris.net;
  requires dev.tigris.flow;
  requires dev.tigris.os;
  requires dev.tigris.sort;
  requires dev.tigris.specializer;
  requires dev.tigris.steering;
  requires java.desktop;
  requires java.management;
  requires HdrHistogram;
  requires com.fasterxml.jackson.core;
  requires info.picocli;
  requires me.tongfei.progressbar;
  requires xchart;

  exports dev.tigris.cli.demo to
      dev.tigris.cluster; // which makes programs
}
