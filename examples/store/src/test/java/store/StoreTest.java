package store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreTest {
  @TempDir private Path folder;

  @Test
  void keepsWhatWasFlushedAndNothingElse() throws Exception {
    Path file = folder.resolve("orders");
    try (Store store = Store.open(file, 100)) {
      store.add(7).cents = 5;
      store.flush();
      store.add(8).cents = 6;
      store.find(7).cents = 9;
    }
    try (Store store = Store.open(file, 100)) {
      assertEquals(1, store.size());
      assertEquals(5, store.find(7).cents);
      assertNull(store.find(8));
    }
  }

  @Test
  void findsNothingInAStoreWithoutRoom() throws Exception {
    try (Store store = Store.open(folder.resolve("orders"), 0)) {
      assertNull(store.find(7));
      assertThrows(IllegalStateException.class, () -> store.add(7));
    }
  }

  @Test
  void refusesANumberThatIsTakenAndOneTooMany() throws Exception {
    try (Store store = Store.open(folder.resolve("orders"), 100)) {
      store.add(0);
      assertThrows(IllegalArgumentException.class, () -> store.add(0));
      for (long number = 1; number < 100; number++) {
        store.add(number);
      }
      assertThrows(IllegalStateException.class, () -> store.add(100));
      assertEquals(50, store.find(50).number);
    }
  }
}
