package dev.tigris.net.libfabric;

/// Reliable datagrams (RDM) of libfabric: for networks that know no connections, through `efa`,
/// `cxi` and others, and again over sockets.
public final class LibfabricRdmProvider extends LibfabricProvider {
  /// Makes one.
  public LibfabricRdmProvider() {
    super(false);
  }
}
