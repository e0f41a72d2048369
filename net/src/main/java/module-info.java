/// Virtual interfaces: messages between processes and hosts, out of and into memory that the
/// application manages itself.
///
/// Providers that call the C library need `--enable-native-access=dev.tigris.net`, and do so in
/// packages of their own; without it, `tcp` is there.
module dev.tigris.net {
  requires static transitive org.jspecify;
  requires transitive dev.tigris.memory;

  exports dev.tigris.net;
}
