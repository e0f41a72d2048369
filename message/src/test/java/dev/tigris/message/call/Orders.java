package dev.tigris.message.call;

import dev.tigris.memory.Bytes;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The service of the tests: not public, as a program's own may be.
@Service
interface Orders {
  @Idempotent
  @Nullable Order find(long id);

  Receipt place(@Nullable Order order);

  double sum(boolean a, byte b, short c, char d, int e, long f, float g, double h);

  @Nullable String join(@Nullable String first, @Nullable Order order, @Nullable String last);

  long pair(@Nullable Order first, @Nullable Order second);

  @Nullable Bytes reverse(@Nullable Bytes bytes);

  void fail(int status);

  CompletableFuture<Order> later(long id);

  CompletableFuture<Long> count();

  Results<Order> open(int count, int failAt);

  @Idempotent
  long sleep(long millis);

  long block(long millis);

  int running();

  long keep(Order order);

  default long findQuantity(long id) {
    Order order = find(id);
    return order == null ? -1 : order.quantity;
  }
}
