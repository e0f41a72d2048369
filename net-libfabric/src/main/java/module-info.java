/// Two providers over libfabric, for RDMA hardware of almost every make: `libfabric` and
/// `libfabric-rdm`.
///
/// They need libfabric 1.9 or later, which is not a part of this module (the tests run with 1.17),
/// and `--enable-native-access=dev.tigris.os,dev.tigris.memory,dev.tigris.net.libfabric`. Without
/// either they say so, and [dev.tigris.net.Fabric#best] chooses another provider.
module dev.tigris.net.libfabric {
  requires static transitive org.jspecify;
  requires dev.tigris.os;
  requires transitive dev.tigris.net;

  provides dev.tigris.net.provider.Provider with
      dev.tigris.net.libfabric.LibfabricProvider,
      dev.tigris.net.libfabric.LibfabricRdmProvider;
}
