package dev.tigris.cluster.run;

import dev.tigris.cluster.Reach;
import dev.tigris.cluster.run.host.HostAddress;
import dev.tigris.cluster.run.host.HostKey;
import dev.tigris.cluster.run.host.RunKey;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import dev.tigris.net.Tls;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What carries the messages and the streams of a run.
sealed interface Network {
  /// Opens what carries messages to and from the coordinator.
  Fabric messages();

  /// Opens all that carries streams between workers, the preferred one first.
  List<Fabric> streams();

  /// Returns the address to listen at, for a fabric of this network.
  String anywhere(Fabric fabric);

  /// Returns an address at which this process listens, as others reach it.
  String told(String listening);

  /// Returns where this process listens for streams, as others reach it.
  default Reach told(Reach listening) {
    return new Reach(
        listening.host(),
        listening.ways().stream()
            .map(way -> new Reach.Way(way.provider(), told(way.address())))
            .toList());
  }

  /// The processes are on one host.
  ///
  /// @param provider shared memory, where there is such
  record OneHost(String provider) implements Network {
    static final String MEMORY = "shm";
    static final String SOCKETS = "tcp";

    /// Returns what joins processes of this host.
    static OneHost best() {
      return new OneHost(hasMemory() ? MEMORY : SOCKETS);
    }

    static boolean hasMemory() {
      try (Fabric _ = Fabric.open(MEMORY)) {
        return true;
      } catch (NetException e) {
        return false;
      }
    }

    @Override
    public Fabric messages() {
      return Fabric.open(provider);
    }

    @Override
    public List<Fabric> streams() {
      return List.of(Fabric.open(provider));
    }

    @Override
    public String anywhere(Fabric fabric) {
      return fabric.provider().equals(MEMORY) ? "*" : "127.0.0.1:0";
    }

    @Override
    public String told(String listening) {
      return listening;
    }
  }

  /// Processes that an engine has started on hosts of its own: sockets join them, and shared memory
  /// those on one host.
  ///
  /// @param bound the address to listen at, `HOST:PORT`
  /// @param name by which others reach this host
  /// @param key of the run, for TLS; null without that
  record Engine(String bound, String name, @Nullable RunKey key) implements Network {
    /// The facts of a worker.
    static final String NAME = "engine.name";

    static final String BOUND = "engine.bound";
    static final String KEY = "engine.key";

    @Override
    public Fabric messages() {
      return key == null
          ? Fabric.open(OneHost.SOCKETS)
          : Fabric.openTls(OneHost.SOCKETS, Tls.of(key.context()).withoutHosts());
    }

    @Override
    public List<Fabric> streams() {
      List<Fabric> all = new ArrayList<>();
      if (OneHost.hasMemory()) {
        all.add(Fabric.open(OneHost.MEMORY));
      }
      all.add(messages());
      return all;
    }

    @Override
    public String anywhere(Fabric fabric) {
      return fabric.provider().equals(OneHost.MEMORY) ? "*" : bound;
    }

    @Override
    public String told(String listening) {
      return Hosts.told(listening, name);
    }
  }

  /// The processes are on several hosts: TLS joins them, whose certificates both sides show, and
  /// shared memory those on one host.
  ///
  /// @param key of this process
  /// @param bound the address to listen at, without a port
  /// @param name by which others reach this host
  record Hosts(HostKey key, String bound, String name) implements Network {
    static final String ANY = "0.0.0.0";

    @Override
    public Fabric messages() {
      HostKey.Role peers = key.role().opposite();
      Tls tls = Tls.of(key.context(peers));
      // A coordinator's key names no host: it may be anywhere.
      return Fabric.openTls(
          OneHost.SOCKETS, peers == HostKey.Role.COORDINATOR ? tls.withoutHosts() : tls);
    }

    @Override
    public List<Fabric> streams() {
      List<Fabric> all = new ArrayList<>();
      if (OneHost.hasMemory()) {
        all.add(Fabric.open(OneHost.MEMORY));
      }
      all.add(Fabric.openTls(OneHost.SOCKETS, Tls.of(key.context(HostKey.Role.WORKER))));
      return all;
    }

    @Override
    public String anywhere(Fabric fabric) {
      return fabric.provider().equals(OneHost.MEMORY) ? "*" : new HostAddress(bound, 0).toString();
    }

    @Override
    public String told(String listening) {
      return told(listening, name);
    }

    private static String told(String listening, String name) {
      int port = listening.lastIndexOf(':');
      return port < 0 || listening.startsWith("/")
          ? listening
          : new HostAddress(name, Integer.parseInt(listening.substring(port + 1))).toString();
    }
  }
}
