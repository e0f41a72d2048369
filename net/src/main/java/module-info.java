/// Virtual interfaces: messages between processes and hosts, out of and into memory that the
/// application manages itself.
///
/// Providers that call the C library need `--enable-native-access=dev.tigris.os,dev.tigris.memory`;
/// `libfabric` needs `dev.tigris.net` there as well. Without it, `tcp` is there.
module dev.tigris.net {
  requires static transitive org.jspecify;
  requires dev.tigris.os;
  requires transitive dev.tigris.memory;

  exports dev.tigris.net;
}
