package dev.tigris.message.call;

/// A client's view of its servers at the moment of a choice ([CallPolicy]). Servers are numbered
/// from 0, in the order in which they were named.
public interface ServersView {
  /// Returns how many servers there are, open or not.
  int servers();

  /// Whether calls can be sent to a server: it is connected, and not leaving.
  boolean isOpen(int server);

  /// Returns how many messages may be sent to a server now; 0 if it is not open.
  int credits(int server);

  /// Returns how many of this client's calls a server has. Failures of the server count as calls
  /// for a tenth of a second.
  int outstanding(int server);

  /// Returns how many nanoseconds a server takes for a call, averaged over about eight; 0 as long
  /// as nothing is known. A failure of the server counts as twice that, however quick it was.
  long serviceNanos(int server);

  /// Returns the server that was chosen last; -1 before the first choice.
  int last();
}
