package dev.tigris.verify.stress;

import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Fabric;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.Provider;
import dev.tigris.net.provider.ProviderListener;
import java.util.Optional;

/// A provider whose ports count, in a plain field, how often their queues were polled. It connects
/// nothing, and so costs nothing.
final class IdleProvider implements Provider {
  /// How often the only port was moved.
  int moves;

  /// A queue of this provider, for the calling thread.
  CompletionQueue queue() {
    return Fabric.open(this).completionQueue();
  }

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public Kind kind() {
    return Kind.MEMORY;
  }

  @Override
  public Optional<String> obstacleTo(String host) {
    return Optional.of("it connects nothing");
  }

  @Override
  public Carrier open() {
    return new Carrier() {
      @Override
      public Port port() {
        return new CountingPort();
      }

      @Override
      public ProviderListener listen(String address) {
        throw new UnsupportedOperationException("it listens nowhere");
      }

      @Override
      public ConnectResult connect(
          String address, long tag, Port port, Attributes attributes, long timeoutNanos) {
        return ConnectResult.nobodyListens("it connects nothing");
      }

      @Override
      public void close() {}
    };
  }

  private final class CountingPort extends Port {
    @Override
    public void progress() {
      moves++;
    }

    @Override
    public boolean canChangeThread() {
      return true;
    }

    @Override
    public void close() {}
  }
}
