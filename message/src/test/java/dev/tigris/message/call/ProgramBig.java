package dev.tigris.message.call;

import dev.tigris.memory.Container;
import dev.tigris.net.Fabric;
import java.util.function.UnaryOperator;

/// A version of a program: [UpgradeTest] loads it by the name `ProgramAny`.
public class ProgramBig implements ItemsBig, UnaryOperator<String> {
  private static final Fabric FABRIC = Fabric.open("shm");

  private CallServer server;

  /// Makes one, for the loader.
  public ProgramBig() {}

  @Override
  public ItemBig grow(ItemBig item) {
    ItemBig grown = new ItemBig(Calls.container());
    grown.size = item.size + 1;
    grown.name.set(item.name);
    grown.gone = item.gone;
    if (item.next != null) {
      grown.next = new ItemBig(Calls.container());
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
              FABRIC, "items@*", ServerOptions.DEFAULT, Calls.service(ItemsBig.class, this));
      return server.address();
    }
    if (command.equals("close")) {
      server.close();
      return "";
    }
    ItemsBig items = Calls.client(ItemsBig.class, FABRIC, "items@" + command, CallOptions.DEFAULT);
    try {
      Container container = Calls.container(items);
      ItemBig item = new ItemBig(container);
      item.size = 1;
      item.name.set("item");
      item.gone = 1;
      item.next = new ItemBig(container);
      item.next.size = 10;
      ItemBig grown = items.grow(item);
      String text = "%s %d %d %d".formatted(grown.name, grown.size, grown.next.size, grown.gone);
      Calls.release(items, grown);
      return text + " " + Calls.statistics(items).buffers();
    } catch (CallException e) {
      return e.getMessage();
    } finally {
      Calls.close(items);
    }
  }
}
