package dev.tigris.sort;

import dev.tigris.cluster.run.Cluster;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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

  /// As [#of], of the inputs of a sort.
  ///
  /// @param folder for the parts
  /// @throws IllegalArgumentException also if there are none, one is compressed, or the folder's
  ///     path is relative
  static HostShare toSort(Cluster cluster, List<HostFile> inputs, Path folder) {
    if (inputs.isEmpty()) {
      throw new IllegalArgumentException("there is no file to sort: name at least 1");
    }
    if (!folder.isAbsolute()) {
      throw new IllegalArgumentException(
          "the folder for the parts, %s, has to have an absolute path, which is one of each host"
              .formatted(folder));
    }
    for (HostFile file : inputs) {
      String name = file.path().toString();
      if (name.endsWith(".gz") || name.endsWith(".zst")) {
        throw new IllegalArgumentException(
            file + " is compressed, and hosts take files as they are: decompress it there first");
      }
    }
    return of(cluster, inputs);
  }

  /// Returns the parts that so many sorters write, in the order of their keys: they are dealt to
  /// processes in turn.
  List<HostFile> parts(Path folder, int sorters) {
    List<HostFile> parts = new ArrayList<>();
    for (int sorter = 0; sorter < sorters; sorter++) {
      String name = String.format(Locale.ROOT, "part-%04d", sorter);
      parts.add(new HostFile(hosts.get(sorter % hosts.size()), folder.resolve(name)));
    }
    return parts;
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
