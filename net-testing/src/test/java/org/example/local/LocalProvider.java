package org.example.local;

import dev.tigris.net.Attributes;
import dev.tigris.net.NetException;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Hello;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.Provider;
import dev.tigris.net.provider.ProviderListener;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/// Messages between threads that share a fabric. An address is any text; `*` stands for a new one.
public final class LocalProvider implements Provider {
  /// Makes one, for [java.util.ServiceLoader].
  public LocalProvider() {}

  @Override
  public String name() {
    return "local";
  }

  @Override
  public Kind kind() {
    return Kind.MEMORY;
  }

  @Override
  public Optional<String> obstacleTo(String host) {
    return Optional.of("it reaches threads of this process only");
  }

  @Override
  public Carrier open() {
    return new LocalCarrier();
  }

  /// The listeners of a fabric, by their addresses.
  private static final class LocalCarrier implements Carrier {
    private final Map<String, LocalListener> listeners = new ConcurrentHashMap<>();
    private final AtomicInteger addresses = new AtomicInteger();

    @Override
    public Port port() {
      return new LocalPort();
    }

    @Override
    public ProviderListener listen(String address) {
      String own = address.equals("*") ? "local-" + addresses.incrementAndGet() : address;
      LocalListener listener = new LocalListener(own, () -> listeners.remove(own));
      if (listeners.putIfAbsent(own, listener) != null) {
        throw new NetException("listen at", own, "it is taken: listen at * for any", null);
      }
      return listener;
    }

    @Override
    public ConnectResult connect(
        String address, long tag, Port port, Attributes attributes, long timeoutNanos) {
      LocalListener listener = listeners.get(address);
      LocalListener.Request request =
          new LocalListener.Request(Hello.request(tag, attributes), address);
      if (listener == null || !listener.ask(request)) {
        return ConnectResult.nobodyListens("there is no listener");
      }
      Hello answer;
      try {
        answer = request.answer.get(timeoutNanos, TimeUnit.NANOSECONDS);
      } catch (TimeoutException | InterruptedException | ExecutionException e) {
        if (e instanceof InterruptedException) {
          Thread.currentThread().interrupt(); // of which the fabric tells
        }
        if (request.answer.cancel(false)) {
          return ConnectResult.timedOut();
        }
        answer = request.answer.join(); // it has come meanwhile
      }
      if (answer == null) {
        return ConnectResult.closedWithoutAnswer();
      }
      return ConnectResult.answered(
          tag,
          answer,
          "a listener does",
          most -> new LocalLink((LocalPort) port, request.stream, address, attributes, most));
    }

    @Override
    public void close() {}
  }
}
