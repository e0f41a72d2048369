package dev.tigris.bench.call;

import dev.tigris.bench.Bar;
import dev.tigris.bench.Group;
import dev.tigris.bench.call.CallPair.Contestant;
import java.util.List;

/// Groups of calls.
public final class CallGroups {
  private CallGroups() {}

  /// Lists the groups in the order in which they are measured.
  public static List<Group> all() {
    Contestant local = new Contestant(Bar.GRPC, "grpc:LOCAL");
    Contestant sockets = new Contestant(Bar.GRPC, "grpc:TCP");
    Contestant datagrams = new Contestant(Bar.AERON_UDP, "aeron:UDP");
    return List.of(
        new CallGroup("shm", local, new Contestant(Bar.AERON, "aeron:IPC")),
        new CallGroup("tcp", sockets, datagrams),
        new CallGroup("uring", sockets, datagrams));
  }
}
