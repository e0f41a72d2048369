package dev.tigris.cluster.disk;

import dev.tigris.cluster.run.host.HostAddress;
import dev.tigris.cluster.run.host.HostKey;
import dev.tigris.message.call.CallServer;
import dev.tigris.message.call.Calls;
import dev.tigris.message.call.ServerOptions;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import dev.tigris.net.Tls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Serves folders of this host to processes of other hosts that have a key of its authority.
///
/// Thread rule: any thread.
public final class DiskServer implements AutoCloseable {
  /// The name of the calls' server.
  static final String NAME = "disks";

  private static final Duration DRAIN = Duration.ofSeconds(1);

  private final List<ServedDisk> disks;
  private final Served served;
  private final CallServer server;

  private DiskServer(List<ServedDisk> disks, Served served, CallServer server) {
    this.disks = disks;
    this.served = served;
    this.server = server;
  }

  /// Returns the port at which the worker of a port serves disks: the next one.
  public static int portOf(int workersPort) {
    return workersPort + 1;
  }

  /// Starts one.
  ///
  /// @param key of this host's worker
  /// @param bound the address to listen at, without a port
  /// @param folders each stands for a disk, which does two reads at a time
  /// @throws IOException if a folder is not there, or it cannot listen
  public static DiskServer start(HostKey key, String bound, int port, List<Path> folders)
      throws IOException {
    List<ServedDisk> disks = new ArrayList<>();
    boolean done = false;
    try {
      for (Path folder : folders) {
        if (!Files.isDirectory(folder)) {
          throw new IOException(folder + " is not a folder: make it, or serve another one");
        }
        disks.add(new ServedDisk(folder.toRealPath()));
      }
      for (ServedDisk disk : disks) {
        disk.await();
      }
      var served = new Served(disks, key.name());
      // A coordinator's key names no host: it may be anywhere.
      Fabric fabric = Fabric.openTls("tcp", Tls.of(key.contextOfAll()).withoutHosts());
      String at = new HostAddress(bound, port).toString();
      try {
        CallServer server =
            Calls.serve(
                fabric,
                NAME + "@" + at,
                ServerOptions.DEFAULT,
                Calls.service(HostDisks.class, served));
        done = true;
        return new DiskServer(disks, served, server);
      } catch (NetException e) {
        fabric.close();
        throw new IOException("cannot serve disks at %s: %s".formatted(at, e.getMessage()), e);
      }
    } finally {
      if (!done) {
        disks.forEach(ServedDisk::close);
      }
    }
  }

  /// Returns where it listens, `HOST:PORT`.
  public String address() {
    return server.address();
  }

  @Override
  public void close() {
    boolean _ = server.drain(DRAIN);
    server.close();
    served.close();
    disks.forEach(ServedDisk::close);
  }
}
