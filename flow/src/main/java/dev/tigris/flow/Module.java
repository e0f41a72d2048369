package dev.tigris.flow;

/// An operator with input: takes waters in, puts waters out (Welsh and Culler 2000, section 2.2;
/// Welsh 1999, section 6.1: *ModuleIF*).
///
/// A stage of a [Flow] runs one or more replicas of a module, each an instance of its own with a
/// thread of its own. All methods are called on that thread, in this order: the constructor or
/// supplier, [#init], then [#process] for every water, [#finish], [#destroy]. No module's
/// `process` is called before every module of the flow has been through its `init`.
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
  /// Called with every water that comes in, and with the stream on which to put what comes of it:
  /// nothing, the same water, or new waters from the stream's spring, as many as needed.
  ///
  /// The input water is the module's until the call returns, unless it is put on a stream or
  /// [kept][Water#keep].
  ///
  /// `out` is what the policy of the outgoing reservoir has chosen for this call. Where the stage
  /// has a routed reservoir, or several reservoirs, or none, `out` accepts nothing: the context
  /// gives the streams.
  ///
  /// @throws EndOfStreamException to say that this module needs no more input
  void process(Water in, Stream out) throws Exception;
}
