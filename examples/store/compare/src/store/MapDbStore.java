package store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.DataInput2;
import org.mapdb.DataOutput2;
import org.mapdb.HTreeMap;
import org.mapdb.Serializer;

/// In MapDB: a hash map from numbers to orders, and a flush ends a transaction.
final class MapDbStore extends OtherStore {
  record Order(long customer, int cents, boolean paid, String product) {}

  private static final class OrderSerializer implements Serializer<Order> {
    @Override
    public void serialize(DataOutput2 out, Order order) throws IOException {
      out.packLong(order.customer());
      out.packInt(order.cents());
      out.writeBoolean(order.paid());
      out.writeUTF(order.product());
    }

    @Override
    public Order deserialize(DataInput2 in, int available) throws IOException {
      return new Order(in.unpackLong(), in.unpackInt(), in.readBoolean(), in.readUTF());
    }
  }

  private final DB db;
  private final HTreeMap<Long, Order> orders;

  MapDbStore(Path file) {
    db = DBMaker.fileDB(file.toFile()).fileMmapEnableIfSupported().transactionEnable().make();
    orders =
        db.hashMap("orders", Serializer.LONG, new OrderSerializer()).counterEnable().createOrOpen();
  }

  @Override
  long size() {
    return orders.sizeLong();
  }

  @Override
  void add(Sample order) {
    orders.putIfAbsentBoolean(
        order.number(), new Order(order.customer(), order.cents(), false, order.product()));
  }

  @Override
  int cents(long number) {
    Order found = orders.get(number);
    return found == null ? -1 : found.cents();
  }

  @Override
  long[] sum() {
    long cents = 0;
    long count = 0;
    for (Map.Entry<Long, Order> each : orders.getEntries()) {
      cents += each.getValue().cents();
      count++;
    }
    return new long[] {count, cents};
  }

  @Override
  void flush() {
    db.commit();
  }

  @Override
  public void close() {
    db.close();
  }

  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[1]);
    long count = arguments.length > 2 ? Long.parseLong(arguments[2]) : 0;
    long every = arguments.length > 3 ? Long.parseLong(arguments[3]) : count;
    try (MapDbStore store = new MapDbStore(file)) {
      store.run(file, arguments[0], count, every);
    }
  }
}
