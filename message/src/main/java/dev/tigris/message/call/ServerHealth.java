package dev.tigris.message.call;

import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// The health of a server, as clients hear of it by [Health]. Its services serve from the start,
/// until the program says otherwise, or drains the server.
///
/// Thread rule: any thread.
public final class ServerHealth {
  private static final long STATE_BYTES = 256;

  private final Map<String, Serving> states = new HashMap<>();
  private final int mostWatching;
  private int watching;
  private boolean isLeaving;

  ServerHealth(List<String> services, int mostWatching) {
    this.mostWatching = mostWatching;
    states.put("", Serving.SERVING);
    services.forEach(service -> states.put(service, Serving.SERVING));
  }

  /// Sets what is told of a service, or of the whole server for an empty name. Once the server is
  /// leaving, this changes nothing.
  public synchronized void set(String service, Serving serving) {
    if (!isLeaving) {
      states.put(service, serving);
      notifyAll();
    }
  }

  /// Returns what is told of a service; [Serving#SERVICE_UNKNOWN] if there is none.
  public synchronized Serving get(String service) {
    return states.getOrDefault(service, Serving.SERVICE_UNKNOWN);
  }

  /// Nothing serves from now on, and watching ends.
  synchronized void leave() {
    isLeaving = true;
    states.replaceAll((service, serving) -> Serving.NOT_SERVING);
    notifyAll();
  }

  /// Returns what clients call.
  Health service() {
    return new Health() {
      @Override
      public int code(String service) {
        Serving serving = get(service);
        if (serving == Serving.SERVICE_UNKNOWN) {
          throw new CallException(Status.NOT_FOUND, "there is no service '%s'".formatted(service));
        }
        return serving.code();
      }

      @Override
      public Results<HealthState> watch(String service) {
        return Results.of(new Watch(service));
      }
    };
  }

  private synchronized void begin() {
    if (watching >= mostWatching) {
      throw new CallException(
          Status.RESOURCE_EXHAUSTED,
          "%d calls watch the health: check it from time to time instead".formatted(watching));
    }
    watching++;
  }

  private synchronized void end() {
    watching--;
  }

  /// Waits until something else is to be told than before; null if nothing will be.
  private synchronized @Nullable Serving next(String service, @Nullable Serving told)
      throws InterruptedException {
    while (get(service) == told && !isLeaving) {
      wait();
    }
    Serving now = get(service);
    return now == told ? null : now;
  }

  /// The changes of one service.
  private final class Watch implements Iterator<HealthState>, AutoCloseable {
    private final String service;
    private final Jbuf memory;
    private final Container container;
    private @Nullable Serving told;
    private @Nullable Serving next;
    private boolean isOpen = true;

    Watch(String service) {
      begin();
      this.service = service;
      this.memory = Jbuf.allocate(STATE_BYTES, "calls");
      this.container = memory.asContainer();
    }

    @Override
    public boolean hasNext() {
      if (next == null) {
        try {
          next = ServerHealth.this.next(service, told);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new CallException(Status.CANCELLED, "the client watches no more", e);
        }
      }
      return next != null;
    }

    @Override
    public HealthState next() {
      Serving its = hasNext() ? next : null;
      if (its == null) {
        throw new NoSuchElementException("the server is leaving");
      }
      told = its;
      next = null;
      container.clear();
      HealthState state = new HealthState(container);
      state.code = its.code();
      return state;
    }

    @Override
    public void close() {
      if (isOpen) {
        isOpen = false;
        memory.unreference(Jbuf::free);
        end();
      }
    }
  }
}
