package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ListingTest {
  @TempDir private Path temporary;

  @Test
  void showsBothSidesAndTheRecipeBehindEachCallSite() throws Exception {
    try (Workshop shop = new Workshop(temporary)) {
      shop.javac.compile(
          Workshop.TRADE,
          """
          package app;
          class User {
            int untouched(int a) { return a; }
            long use(Trade trade) {
              if (trade.id > 2) { trade.quantity = 7; }
              Object[] constants = {"one\\n\\u009btwo", Trade.class};
              return 100_000;
            }
          }
          """);
      Listing listing = new Listing((owner, field, operation) -> Optional.of("recipe of " + field));
      String text = listing.of(shop.bytes("app/User"), shop.specialize("app/User").bytes());
      assertEquals(
          """
          app.User.use(Trade)long
            before                                      after
              line 5                                      line 5
              aload_1                                     aload_1
              getfield app.Trade.id                       invokedynamic get(Trade)long [app.Trade, id]
                                                            recipe of id
              ldc2_w 2                                    ldc2_w 2
              lcmp                                        lcmp
              ifle L1                                     ifle L1
              aload_1                                     aload_1
              bipush 7                                    bipush 7
              putfield app.Trade.quantity                 invokedynamic set(Trade,int)void [app.Trade, quantity]
                                                            recipe of quantity
             L1:                                         L1:
              line 6                                      line 6
              iconst_2                                    iconst_2
              anewarray                                   anewarray
              dup                                         dup
              iconst_0                                    iconst_0
              ldc "one??two"                              ldc "one??two"
              aastore                                     aastore
              dup                                         dup
              iconst_1                                    iconst_1
              ldc app.Trade                               ldc app.Trade
              aastore                                     aastore
              astore_2                                    astore_2
              line 7                                      line 7
              ldc2_w 100000                               ldc2_w 100000
              lreturn                                     lreturn

          """,
          text);
    }
  }
}
