package dev.tigris.message.call;

import java.util.Objects;

/// A service and what implements it, for [Calls#serve]. [Calls#service] makes one.
public final class Implementation {
  private final ServiceModel service;
  private final Object target;
  private final boolean runsInHandler;

  Implementation(ServiceModel service, Object target, boolean runsInHandler) {
    this.service = service;
    this.target = Objects.requireNonNull(target);
    this.runsInHandler = runsInHandler;
    if (!service.type().isInstance(target)) {
      throw new IllegalArgumentException(
          "%s does not implement %s".formatted(target.getClass(), service.type()));
    }
  }

  /// Returns the same service with methods that run in the handler of their request, on the thread
  /// that polls, one after the other. That is the fastest way, for methods that neither wait nor
  /// take long: nothing else of the server goes on meanwhile. Methods that return [Results] or a
  /// future run on threads of their own all the same.
  public Implementation inHandler() {
    return new Implementation(service, target, true);
  }

  ServiceModel service() {
    return service;
  }

  Object target() {
    return target;
  }

  boolean runsInHandler() {
    return runsInHandler;
  }
}
