package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The files that the processes of several hosts have, each on its own one.
///
/// @param hosts of each process, where its worker listens
/// @param files in their order
record HostShare(List<String> hosts, List<HostFile> files) {
  HostShare {
    hosts = List.copyOf(hosts);
    files = List.copyOf(files);
  }

  /// @throws IllegalArgumentException if the cluster is on one host, or a file is on another one
  static HostShare of(Cluster cluster, List<HostFile> files) {
    List<String> hosts = cluster.hosts();
    if (hosts.isEmpty()) {
      throw new IllegalArgumentException(
          cluster + " is on this host alone: files of hosts need a cluster of hosts");
    }
    for (HostFile file : files) {
      if (!hosts.contains(file.host())) {
        throw new IllegalArgumentException("%s is on none of the hosts %s".formatted(file, hosts));
      }
    }
    return new HostShare(hosts, files);
  }

  /// Returns the numbers of the files on the host of a process.
  List<Integer> at(int process) {
    List<Integer> own = new ArrayList<>();
    for (int file = 0; file < files.size(); file++) {
      if (files.get(file).host().equals(hosts.get(process))) {
        own.add(file);
      }
    }
    return own;
  }

  /// Returns how many processes are on the host of this one.
  int neighbours(int process) {
    return (int) hosts.stream().filter(hosts.get(process)::equals).count();
  }

  /// Returns how many of these have a lower number.
  int place(int process) {
    return (int) hosts.stream().limit(process).filter(hosts.get(process)::equals).count();
  }

  void write(DataOutputStream out) throws IOException {
    out.writeInt(hosts.size());
    for (String host : hosts) {
      out.writeUTF(host);
    }
    out.writeInt(files.size());
    for (HostFile file : files) {
      out.writeUTF(file.host());
      out.writeUTF(file.path().toString());
    }
  }

  static HostShare read(DataInputStream in) throws IOException {
    List<String> hosts = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      hosts.add(in.readUTF());
    }
    List<HostFile> files = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      files.add(new HostFile(in.readUTF(), Path.of(in.readUTF())));
    }
    return new HostShare(hosts, files);
  }
}
