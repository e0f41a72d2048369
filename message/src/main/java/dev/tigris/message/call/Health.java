package dev.tigris.message.call;

/// Whether the services of a server serve. Every server has this service, as gRPC's servers may
/// have `grpc.health.v1.Health`; [CallServer#health] sets what it tells.
///
/// ```java
/// Health health = Calls.client(Health.class, fabric, "orders@host:7400", options);
/// if (health.check("Orders") == Serving.SERVING) { ... }
/// ```
///
/// A client of several servers asks any of them.
@Service("tigris.Health")
public interface Health {
  /// Returns the number of the [Serving] of a service, or of the server for an empty name. A server
  /// that is leaving answers as well.
  ///
  /// @throws CallException with [Status#NOT_FOUND] if the server has no such service
  @Idempotent
  int code(String service);

  /// Returns whether a service serves, or the server for an empty name; errors as for [#code].
  default Serving check(String service) {
    Serving known = Serving.of(code(service));
    return known == null ? Serving.UNKNOWN : known;
  }

  /// Returns what there is to tell of a service now, and then each change. The stream ends when the
  /// server leaves, or at the deadline: call it on [Calls#within] a long time. A quarter of the
  /// methods that a server runs at once may be such streams; more are refused with
  /// [Status#RESOURCE_EXHAUSTED].
  Results<HealthState> watch(String service);
}
