package dev.tigris.cluster.run;

import java.util.Base64;

/// A process that is a worker of a run, for an engine of hosts that starts plain JVMs: it is given
/// the worker's number, and reads its ticket.
final class EngineProcess {
  private EngineProcess() {}

  public static void main(String[] arguments) throws Exception {
    int worker = Integer.parseInt(arguments[0]);
    EngineTicket ticket = EngineTicket.of(Base64.getDecoder().decode(IO.readln()));
    EngineWorker.of(ticket, worker, "127.0.0.1", null, () -> {}).run(); // the engine kills it
  }
}
