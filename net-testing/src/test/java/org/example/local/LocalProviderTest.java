package org.example.local;

import dev.tigris.net.testing.NamedSubject;
import dev.tigris.net.testing.ProviderContract;

/// The provider, found by its name, passes the contract.
class LocalProviderTest extends ProviderContract {
  LocalProviderTest() {
    super(new NamedSubject("local", "*", false));
  }
}
