/// The operating system, as the other modules of Tigris use it: foreign calls and their errors,
/// descriptors, mapped pages, memory files, sockets, io_uring and waiting. Internal: the package is
/// exported to Tigris' own modules only.
///
/// Needs `--enable-native-access=dev.tigris.os`: it calls functions of the C library.
@SuppressWarnings("module") // the modules that it is exported to are compiled after this one
module dev.tigris.os {
  requires static transitive org.jspecify;

  uses dev.tigris.os.disk.FileHost.Finder;

  exports dev.tigris.os.disk to
      dev.tigris.memory,
      dev.tigris.flow,
      dev.tigris.cluster,
      dev.tigris.sort,
      dev.tigris.cli,
      dev.tigris.verify,
      dev.tigris.bench;
  exports dev.tigris.os to
      dev.tigris.memory,
      dev.tigris.matrix,
      dev.tigris.net,
      dev.tigris.net.libfabric,
      dev.tigris.message,
      dev.tigris.flow,
      dev.tigris.cluster,
      dev.tigris.sort,
      dev.tigris.cli,
      dev.tigris.verify,
      dev.tigris.bench;
}
