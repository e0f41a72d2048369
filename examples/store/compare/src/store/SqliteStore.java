package store;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/// In SQLite: the number is the key of the table's own tree, and a flush ends a transaction.
final class SqliteStore extends OtherStore {
  private final Connection connection;
  private final PreparedStatement insert;
  private final PreparedStatement select;

  SqliteStore(Path file) throws SQLException {
    connection = DriverManager.getConnection("jdbc:sqlite:" + file);
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA journal_mode = WAL");
      statement.execute("PRAGMA synchronous = FULL");
      statement.execute("PRAGMA mmap_size = 1000000000");
      statement.execute(
          "CREATE TABLE IF NOT EXISTS orders (number INTEGER PRIMARY KEY, customer INTEGER,"
              + " cents INTEGER, paid INTEGER, product TEXT)");
    }
    connection.setAutoCommit(false);
    insert = connection.prepareStatement("INSERT INTO orders VALUES (?, ?, ?, 0, ?)");
    select = connection.prepareStatement("SELECT cents FROM orders WHERE number = ?");
  }

  @Override
  long size() throws SQLException {
    return sum()[0];
  }

  @Override
  void add(Sample order) throws SQLException {
    insert.setLong(1, order.number());
    insert.setLong(2, order.customer());
    insert.setInt(3, order.cents());
    insert.setString(4, order.product());
    insert.executeUpdate();
  }

  @Override
  int cents(long number) throws SQLException {
    select.setLong(1, number);
    try (ResultSet found = select.executeQuery()) {
      return found.next() ? found.getInt(1) : -1;
    }
  }

  @Override
  long[] sum() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet sum = statement.executeQuery("SELECT count(*), sum(cents) FROM orders")) {
      return new long[] {sum.getLong(1), sum.getLong(2)};
    }
  }

  @Override
  void flush() throws SQLException {
    connection.commit();
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }

  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[1]);
    long count = arguments.length > 2 ? Long.parseLong(arguments[2]) : 0;
    long every = arguments.length > 3 ? Long.parseLong(arguments[3]) : count;
    try (SqliteStore store = new SqliteStore(file)) {
      store.run(file, arguments[0], count, every);
    }
  }
}
