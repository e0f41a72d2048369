package org.example.local;

import dev.tigris.net.testing.NamedSubject;
import dev.tigris.net.testing.ProviderContract;
import dev.tigris.testing.Slow;

/// The provider, found by its name, passes the contract.
@Slow("some connections wait for seconds: the quick tier has the messages")
class LocalProviderTest extends ProviderContract {
  LocalProviderTest() {
    super(new NamedSubject("local", "*", false));
  }
}
