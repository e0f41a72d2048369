package dev.tigris.specializer;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// Tests that each have an empty [Workshop].
abstract class InWorkshop {
  @TempDir Path temporary;
  Workshop shop;

  @BeforeEach
  void openShop() throws IOException {
    shop = new Workshop(temporary);
  }

  @AfterEach
  void closeShop() {
    shop.close();
  }
}
