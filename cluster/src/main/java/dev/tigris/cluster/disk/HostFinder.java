package dev.tigris.cluster.disk;

import dev.tigris.cluster.run.host.HostAddress;
import dev.tigris.cluster.run.host.HostKey;
import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.message.call.CallException;
import dev.tigris.message.call.CallOptions;
import dev.tigris.message.call.Calls;
import dev.tigris.net.Fabric;
import dev.tigris.net.Tls;
import dev.tigris.os.disk.FileHost;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Connects to the disks of other hosts. There is one connection to each, until it is lost.
///
/// Thread rule: any thread.
public final class HostFinder implements FileHost.Finder {
  /// The property with the file of the key that this process shows: by default the coordinator's in
  /// the usual folder.
  public static final String KEY_PROPERTY = "tigris.disks.key";

  /// The property with the number of the reading that this process is a part of.
  public static final String READING_PROPERTY = "tigris.disks.reading";

  private static final Duration CONNECT = Duration.ofSeconds(5);

  /// A host that is silent when it is called, and not one that refuses, is not tried again for so
  /// long.
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(2);

  /// A host.
  private static final class Known {
    private @Nullable RemoteDisks disks;
    private @Nullable IOException failure;
    private long failedNanos;
  }

  private final Map<String, Known> hosts = new ConcurrentHashMap<>();
  private @Nullable Fabric fabric;

  /// Makes one without connections.
  public HostFinder() {}

  @Override
  public FileHost find(String host) throws IOException {
    HostAddress address = address(host);
    Known known = hosts.computeIfAbsent(host, name -> new Known());
    synchronized (known) {
      RemoteDisks there = known.disks;
      if (there != null) {
        return there;
      }
      IOException before = known.failure;
      if (before != null && System.nanoTime() - known.failedNanos < AGAIN_NANOS) {
        throw new IOException(before.getMessage(), before);
      }
      long begun = System.nanoTime();
      try {
        String servers =
            DiskServer.NAME
                + "@"
                + new HostAddress(address.host(), DiskServer.portOf(address.port()));
        HostDisks calls =
            Calls.client(
                HostDisks.class,
                fabric(),
                servers,
                CallOptions.DEFAULT.withConnecting(CONNECT).withInheritsDeadline(false));
        RemoteDisks made = new RemoteDisks(host, calls, gone -> lost(known, gone));
        known.disks = made;
        return made;
      } catch (CallException e) {
        IOException failure =
            new IOException(
                "the disks of %s cannot be reached: does 'tigris worker --disks DIR' run there? (%s)"
                    .formatted(host, e.text()),
                e);
        known.failedNanos = System.nanoTime();
        known.failure = known.failedNanos - begun > SILENT_NANOS ? failure : null;
        throw failure;
      }
    }
  }

  /// Ends a connection. Several calls may find it lost, the last of them when there is another one.
  private static void lost(Known known, RemoteDisks gone) {
    synchronized (known) {
      if (gone.equals(known.disks)) {
        known.disks = null;
        known.failure = null;
      }
    }
    gone.close();
  }

  /// Returns where the worker of a host listens, which is at the usual port if none is named.
  ///
  /// @param host `HOST` or `HOST:PORT`
  /// @throws IOException if it is something else
  public static HostAddress address(String host) throws IOException {
    boolean hasPort = host.startsWith("[") ? !host.endsWith("]") : host.indexOf(':') >= 0;
    try {
      return HostAddress.parse(hasPort ? host : host + ":" + HostAddress.USUAL_PORT);
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private synchronized Fabric fabric() throws IOException {
    Fabric known = fabric;
    if (known == null) {
      String file = System.getProperty(KEY_PROPERTY, "");
      Path its = file.isEmpty() ? HostKeys.coordinatorKey(HostKeys.usualFolder()) : Path.of(file);
      HostKey key;
      try {
        key = HostKey.load(its);
      } catch (NoSuchFileException e) {
        throw new IOException(
            "the disks of other hosts need a key, and %s is not there: make one with 'tigris keys coordinator'"
                .formatted(its),
            e);
      }
      known = Fabric.openTls("tcp", Tls.of(key.context(HostKey.Role.WORKER)));
      fabric = known;
    }
    return known;
  }
}
