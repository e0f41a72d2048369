package dev.tigris.flow;

/// An operator with input: takes waters in, puts waters out (*ModuleIF* in Welsh and Culler, 2000,
/// section 2.2, and Welsh, 1999, section 6.1).
///
/// A stage of a [Flow] runs one or more replicas of a module, each an instance of its own with a
/// thread of its own. All methods are called on that thread, in this order: the constructor or
/// supplier, [#init], then [#process] for every water, [#finish], [#destroy]. No module's `process`
/// is called before every module of the flow has been through its `init`.
///
/// Anything thrown fails the whole flow, with that cause, except [EndOfStreamException].
///
/// ```java
/// Module upperCase = (in, out) -> {
///   for (long i = 0; i < in.size(); i++) {
///     in.bytes().set(i, (byte) Character.toUpperCase(in.bytes().get(i)));
///   }
///   out.put(in);
/// };
/// ```
@FunctionalInterface
public interface Module extends Operator {
  /// Processes one water, and puts what comes of it on `out`: nothing, the water itself, or new
  /// waters from the stream's spring, as many as needed.
  ///
  /// The input water is the module's until the call returns, unless it is put on a stream or
  /// [kept][Water#keep].
  ///
  /// The policy of the outgoing reservoir has chosen `out` for this call. In a stage with a routed
  /// reservoir, several reservoirs or none, `out` refuses every water, and the module gets its
  /// streams from its context.
  ///
  /// @throws EndOfStreamException if this module needs no more input
  void process(Water in, Stream out) throws Exception;
}
