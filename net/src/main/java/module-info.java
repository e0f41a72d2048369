/// Virtual interfaces: messages between processes and hosts, out of and into memory that the
/// application manages itself.
///
/// Providers that call the C library need `--enable-native-access=dev.tigris.os,dev.tigris.memory`;
/// without it, `tcp` is there. Other modules can add providers: [dev.tigris.net.provider.Provider].
@SuppressWarnings("module") // of the providers that share our packages, none need be there
module dev.tigris.net {
  requires static transitive org.jspecify;
  requires dev.tigris.os;
  requires transitive dev.tigris.memory;

  exports dev.tigris.net;
  exports dev.tigris.net.provider;
  exports dev.tigris.net.socket to
      dev.tigris.net.libfabric;

  uses dev.tigris.net.provider.Provider;

  provides dev.tigris.net.provider.Provider with
      dev.tigris.net.shm.ShmProvider,
      dev.tigris.net.uring.UringProvider,
      dev.tigris.net.tcp.TcpProvider;
}
