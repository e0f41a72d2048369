package dev.tigris.message.call;

import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import dev.tigris.memory.View;
import dev.tigris.memory.internal.ObjectAccess;
import dev.tigris.net.Fabric;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/// Clients and servers of services ([Service]), and what programs do with them.
///
/// Thread rule: any thread; [#current] and [#container()] the thread that runs a method.
public final class Calls {
  private Calls() {}

  /// Makes a client of a service.
  ///
  /// Its methods call a server, and return when the call is over. Any number of threads, virtual
  /// ones too, may call at once; a thread of the client's sends and receives for all. If
  /// [CallOptions#callerPolls], the calling thread does, which is the fastest for one thread.
  ///
  /// With several servers, each call goes to the one that has the fewest of this client's calls,
  /// where failures count as calls for a while. A server that was lost is connected to again.
  ///
  /// @param fabric that reaches the servers; it is closed after the client
  /// @param servers `NAME@ADDRESS`, or several with commas between them
  /// @throws CallException with [Status#UNAVAILABLE] if no server can be reached
  /// @throws IllegalArgumentException if the interface cannot be called
  public static <T> T client(Class<T> service, Fabric fabric, String servers, CallOptions options) {
    ServiceModel _ = ServiceModel.of(service);
    ClientHub hub = ClientHub.open(fabric, servers, options);
    try {
      return StubFactory.make(service, hub);
    } catch (RuntimeException | Error e) {
      hub.close();
      throw e;
    }
  }

  /// Makes a client of another service, over the connections of one that there is. Closing either
  /// closes both.
  ///
  /// @throws IllegalArgumentException if the interface cannot be called, or `client` is none
  public static <T> T client(Class<T> service, Object client) {
    return StubFactory.make(service, hub(client));
  }

  /// Returns a client over the connections of another one, whose calls may take so long each
  /// instead of [CallOptions#deadline]. It can be used once, or kept: the time counts from each
  /// call on. For a stream it is that of the whole stream. A call that is made while serving
  /// another one still ends with that one, if [CallOptions#inheritsDeadline]. Closing either closes
  /// both.
  ///
  /// ```java
  /// Order order = Calls.within(orders, Duration.ofMillis(50)).find(17);
  /// ```
  ///
  /// @throws IllegalArgumentException if the time is not positive, or `client` is no client
  @SuppressWarnings("unchecked") // the stub implements what its client implements
  public static <T> T within(T client, Duration limit) {
    CallOptions.requirePositive("the time for a call", limit);
    Stub stub = stub(client);
    return (T) StubFactory.make(stub.service.type(), stub.client, limit.toNanos());
  }

  private static ClientHub hub(Object client) {
    return stub(client).client;
  }

  private static Stub stub(Object client) {
    if (client instanceof Stub stub) {
      return stub;
    }
    throw new IllegalArgumentException(
        "%s is no client: Calls.client makes them".formatted(client.getClass().getName()));
  }

  /// Closes a client: its calls end with [Status#CANCELLED].
  public static void close(Object client) {
    hub(client).close();
  }

  /// Returns an empty container of [CallOptions#argumentBytes] for an argument. An object that is
  /// made there is sent from where it lies. The call takes the container: after it, the object must
  /// not be used any more. A container that is not used is given back by [#release].
  public static Container container(Object client) {
    ClientHub hub = hub(client);
    return container(client, hub.options().argumentBytes());
  }

  /// Returns an empty container of at least so many bytes for an argument, as [#container(Object)]
  /// does.
  public static Container container(Object client, long bytes) {
    ClientHub hub = hub(client);
    CallBuffer buffer = hub.buffers().take(bytes);
    hub.buffers().handOut(buffer, buffer.container);
    return buffer.container;
  }

  /// Gives the memory of a result back at once. Nothing of it may be used any more. A result that
  /// is dropped instead is freed when the collector has found that nothing refers to it.
  ///
  /// @param client that returned it
  /// @throws IllegalArgumentException if the client has not returned it, or it was released
  public static void release(Object client, Pso result) {
    release(hub(client), result);
  }

  /// Gives the memory of a result, or of a container for an argument, back at once; otherwise as
  /// [#release(Object, Pso)].
  public static void release(Object client, View result) {
    release(hub(client), result);
  }

  static void release(ClientHub hub, Pso result) {
    Container container = ObjectAccess.OBJECTS.container(result);
    if (container == null) {
      throw new IllegalArgumentException("an object of a raw container is no result");
    }
    release(hub, container);
  }

  static void release(ClientHub hub, View result) {
    CallBuffer buffer = hub.buffers().claim(result);
    if (buffer == null) {
      throw new IllegalArgumentException("this client has not returned it, or it was released");
    }
    hub.buffers().give(buffer);
  }

  /// Returns what a client has counted.
  public static CallStatistics statistics(Object client) {
    ClientHub hub = hub(client);
    return hub.counters().told(hub.buffers().out());
  }

  /// Returns the methods that the servers of a client serve, those of other services too, in the
  /// order of their names: with the schemas of their objects.
  public static List<MethodDescription> describe(Object client) {
    return hub(client).methods().stream()
        .sorted(Comparator.comparing(Signature::fullName))
        .map(MethodDescription::of)
        .distinct()
        .toList();
  }

  /// Returns the declarations of the methods that the servers of a client serve, those of other
  /// services too, such as `Order Orders.find(long)`, in the order of their names.
  public static List<String> methods(Object client) {
    return hub(client).methods().stream()
        .sorted(Comparator.comparing(Signature::fullName))
        .map(Signature::text)
        .distinct()
        .toList();
  }

  /// Names a service and what implements it, for [#serve].
  ///
  /// @throws IllegalArgumentException if the interface cannot be called
  public static <T> Implementation service(Class<T> service, T implementation) {
    return new Implementation(ServiceModel.of(service), implementation, false);
  }

  /// Starts a server, on a thread of its own. Each method runs on a virtual thread of its own,
  /// unless its service runs [Implementation#inHandler].
  ///
  /// @param fabric that clients reach it over; it is closed after the server
  /// @param at `NAME@ADDRESS`, with the address that it listens at
  /// @throws dev.tigris.net.NetException if it cannot listen there
  /// @throws IllegalArgumentException if a service cannot be served
  public static CallServer serve(
      Fabric fabric, String at, ServerOptions options, Implementation... services) {
    int end = at.indexOf('@');
    if (end <= 0 || services.length == 0) {
      throw new IllegalArgumentException(
          services.length == 0
              ? "a server without a service"
              : "a server is NAME@ADDRESS, such as orders@0.0.0.0:7400, and not '%s'"
                  .formatted(at));
    }
    return new CallServer(
        ServerHub.open(
            fabric, at.substring(0, end), at.substring(end + 1), options, List.of(services)));
  }

  /// Returns the call that this thread serves.
  ///
  /// @throws IllegalStateException if it serves none
  public static CallContext current() {
    ServerCall serving = ServerCall.current();
    if (serving == null) {
      throw new IllegalStateException(
          "this thread serves no call: ask in the method of a service, on the thread that runs it");
    }
    return serving;
  }

  /// Returns the container that the result of the call is sent from that this thread serves. An
  /// object that is made there, and returned, is not copied. Elements of [Results] are copied.
  ///
  /// @throws IllegalStateException as for [#current]
  public static Container container() {
    return current().container();
  }
}
