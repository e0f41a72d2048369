package dev.tigris.message.call;

/// The superclass of the generated implementations of services. Not for programs: [Calls#client]
/// makes them.
public abstract class Stub {
  final ClientHub client;
  final ServiceModel service;

  /// How long each call may take; 0 for what the client's options say.
  private final long limitNanos;

  /// Only generated classes call this.
  ///
  /// @throws ClassCastException if it is not called by [Calls#client]
  protected Stub(Object binding) {
    Binding its = (Binding) binding;
    this.client = its.client();
    this.service = its.service();
    this.limitNanos = its.limitNanos();
  }

  /// The client and the service of a stub, and how long its calls may take.
  record Binding(ClientHub client, ServiceModel service, long limitNanos) {}

  /// Begins a call. Only generated classes call this.
  ///
  /// @param method the index of the method in the service
  protected final Invocation begin(int method) {
    return client.begin(service.methods().get(method), limitNanos);
  }

  @Override
  public final String toString() {
    return "%s over %s".formatted(service.name(), client);
  }
}
