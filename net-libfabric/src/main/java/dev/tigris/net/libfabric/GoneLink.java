package dev.tigris.net.libfabric;

import dev.tigris.net.Attributes;
import dev.tigris.net.libfabric.raw.LibfabricException;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Region;
import dev.tigris.net.provider.RemoteLink;
import org.jspecify.annotations.Nullable;

/// A link to a peer that has asked to be connected, and was gone when it was accepted: broken from
/// the start, without an endpoint. libfabric's `verbs` finds that out before an endpoint can be
/// enabled, where `tcp` breaks a connection that is made.
final class GoneLink extends Link implements RemoteLink {
  private final String peer;

  GoneLink(String peer, Attributes attributes, long maximumMessageBytes, LibfabricException why) {
    super(attributes, maximumMessageBytes);
    this.peer = peer;
    fail("the peer has given up connecting (%s)".formatted(why.getMessage()), why);
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public void ring() {}

  @Override
  public void register(Region region) {}

  @Override
  public void deregister(Region region) {}

  /// No peer is there to access it.
  @Override
  public Exposed expose(Region region, long offset, long length, boolean writable) {
    return new Exposed(0, 0, 0);
  }

  @Override
  public void withdraw(Exposed exposed) {}

  @Override
  protected void disconnect(boolean inOrder) {}

  @Override
  protected void fail(String what, @Nullable Throwable cause) {
    broken(failure(what, cause));
  }
}
