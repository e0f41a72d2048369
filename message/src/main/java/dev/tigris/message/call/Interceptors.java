package dev.tigris.message.call;

import java.util.List;

/// Calls the interceptors of a client or a server in their order.
///
/// Immutable.
final class Interceptors {
  private static final System.Logger LOG = System.getLogger(Interceptors.class.getName());

  private final List<Interceptor> all;

  Interceptors(List<Interceptor> all) {
    this.all = all;
  }

  boolean areThere() {
    return !all.isEmpty();
  }

  int count() {
    return all.size();
  }

  /// Tells one that a call begins.
  void before(int index, CallInfo call) {
    all.get(index).before(call);
  }

  /// Tells those that a call is over which have let it begin: the last one first.
  void after(int begun, CallInfo call) {
    for (int i = begun - 1; i >= 0; i--) {
      try {
        all.get(i).after(call);
      } catch (Throwable e) { // whatever it is, the other calls go on
        LOG.log(System.Logger.Level.WARNING, "an interceptor has failed after a call", e);
      }
    }
  }
}
