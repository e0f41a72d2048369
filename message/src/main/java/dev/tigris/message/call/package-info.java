/// Calls whose arguments and results are objects: a service is a Java interface, and an object is
/// sent as it lies in its container.
///
/// ```java
/// @Service
/// interface Orders {
///   @Idempotent Order find(long id);
///   Receipt place(Order order);
/// }
///
/// CallServer server = Calls.serve(fabric, "orders@0.0.0.0:7400", ServerOptions.DEFAULT,
///     Calls.service(Orders.class, new Book()));
///
/// Orders orders = Calls.client(Orders.class, fabric, "orders@host:7400", CallOptions.DEFAULT);
/// Order order = new Order(Calls.container(orders));     // made where it is sent from
/// Receipt receipt = orders.place(order);
/// ```
///
/// Each call has a deadline, and ends in a result or in a [dev.tigris.message.call.CallException]
/// with one of gRPC's statuses.
@NullMarked
package dev.tigris.message.call;

import org.jspecify.annotations.NullMarked;
