package dev.tigris.message.call;

import dev.tigris.memory.Container;
import dev.tigris.net.Fabric;
import java.util.function.UnaryOperator;

/// The second version of a program: [UpgradeTest] loads it by the name `ProgramAny`.
public class ProgramNew implements ItemsNew, UnaryOperator<String> {
  private static final Fabric FABRIC = Fabric.open("shm");

  private CallServer server;

  /// Makes one, for the loader.
  public ProgramNew() {}

  @Override
  public ItemNew grow(ItemNew item) {
    ItemNew grown = new ItemNew(Calls.container());
    grown.size = item.size + 1;
    grown.name.set(item.name);
    grown.price = item.price + 0.5;
    if (item.next != null) {
      grown.next = new ItemNew(Calls.container());
      grown.next.size = item.next.size + 1;
    }
    return grown;
  }

  /// Serves, or calls the server at an address.
  @Override
  public String apply(String command) {
    if (command.equals("serve")) {
      server =
          Calls.serve(
              FABRIC, "items@*", ServerOptions.DEFAULT, Calls.service(ItemsNew.class, this));
      return server.address();
    }
    if (command.equals("close")) {
      server.close();
      return "";
    }
    ItemsNew items = Calls.client(ItemsNew.class, FABRIC, "items@" + command, CallOptions.DEFAULT);
    try {
      Container container = Calls.container(items);
      ItemNew item = new ItemNew(container);
      item.size = 1;
      item.name.set("item");
      item.price = 2;
      item.next = new ItemNew(container);
      item.next.size = 10;
      ItemNew grown = items.grow(item);
      String text = "%s %d %d %s".formatted(grown.name, grown.size, grown.next.size, grown.price);
      Calls.release(items, grown);
      return text + " " + Calls.statistics(items).buffers();
    } catch (CallException e) {
      return e.getMessage();
    } finally {
      Calls.close(items);
    }
  }
}
