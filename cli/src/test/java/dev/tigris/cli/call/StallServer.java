package dev.tigris.cli.call;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PsoLayout;
import dev.tigris.memory.PsoList;
import dev.tigris.message.call.CallException;
import dev.tigris.message.call.CallServer;
import dev.tigris.message.call.Calls;
import dev.tigris.message.call.Results;
import dev.tigris.message.call.ServerOptions;
import dev.tigris.message.call.Status;
import dev.tigris.net.Fabric;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/// Serves [Stall], and prints where.
final class StallServer implements Stall {
  private StallServer() {}

  public static void main(String[] arguments) throws InterruptedException {
    try (Fabric fabric = Fabric.open("tcp");
        CallServer server =
            Calls.serve(
                fabric,
                "stall@127.0.0.1:0",
                ServerOptions.DEFAULT,
                Calls.service(Stall.class, new StallServer()))) {
      System.out.println(server.address());
      new CountDownLatch(1).await();
    }
  }

  private static Fruit fruit(Container container, long id) {
    Fruit fruit = new Fruit(container);
    fruit.id = id;
    fruit.weight = 0.1f;
    fruit.grade = 'A';
    fruit.isRipe = true;
    fruit.taste = Fruit.Taste.SOUR;
    fruit.name.set("Äpfel " + id);
    fruit.sizes.set(1, 2);
    return fruit;
  }

  @Override
  public @Nullable Fruit find(long id) {
    if (id < 0) {
      return null;
    }
    Fruit fruit = fruit(Calls.container(), id);
    fruit.parts = new PsoList<>(Calls.container(), Fruit.class, 2);
    fruit.parts.add(fruit(Calls.container(), id + 1));
    fruit.parts.add(null);
    return fruit;
  }

  @Override
  public String echo(@Nullable Fruit fruit, double factor, String note) {
    if (fruit == null) {
      return "nothing, %s, %s".formatted(factor, note);
    }
    return "%s, %d parts, %s, %s"
        .formatted(
            PsoLayout.valuesOf(fruit).get("name"),
            fruit.parts == null ? 0 : fruit.parts.size(),
            fruit.id * factor + fruit.sizes.get(2),
            note + fruit.taste + fruit.grade);
  }

  @Override
  public @Nullable Bytes reverse(@Nullable Bytes bytes) {
    if (bytes == null) {
      return null;
    }
    Bytes reversed = Jbuf.allocate(Math.max(1, bytes.length()), "test").asBytes();
    for (long i = 0; i < bytes.length(); i++) {
      reversed.set(bytes.length() - 1 - i, bytes.get(i));
    }
    return reversed.slice(0, bytes.length());
  }

  @Override
  public Results<Fruit> all(int count) {
    List<Fruit> all = new ArrayList<>();
    Container container = Jbuf.allocate(64 << 10, "test").asContainer();
    for (int i = 0; i < count; i++) {
      all.add(fruit(container, i));
    }
    return Results.of(all);
  }

  @Override
  public void refuse(boolean isFatal) {
    throw new CallException(
        isFatal ? Status.DATA_LOSS : Status.NOT_FOUND, "there is no such fruit");
  }
}
