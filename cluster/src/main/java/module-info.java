import dev.tigris.cluster.disk.HostFinder;
import dev.tigris.os.disk.FileHost;

/// Flows over several processes: streams over virtual interfaces, and runs of programs.
@SuppressWarnings("module") // those that it is exported to are compiled after it
module dev.tigris.cluster {
  requires dev.tigris.message;
  requires dev.tigris.os;
  requires java.management;
  requires jdk.net;
  requires static transitive org.jspecify;
  requires transitive dev.tigris.flow;
  requires transitive dev.tigris.memory;
  requires transitive dev.tigris.net;

  exports dev.tigris.cluster;
  exports dev.tigris.cluster.disk to
      dev.tigris.cli;
  exports dev.tigris.cluster.group;
  exports dev.tigris.cluster.run;
  exports dev.tigris.cluster.run.host to
      dev.tigris.cli,
      dev.tigris.steering;
  exports dev.tigris.cluster.run.outputs to
      dev.tigris.cli,
      dev.tigris.steering;
  exports dev.tigris.cluster.run.protocol to
      dev.tigris.cli;
  exports dev.tigris.cluster.testing;

  opens dev.tigris.cluster.disk to
      dev.tigris.message;

  provides FileHost.Finder with
      HostFinder;
}
