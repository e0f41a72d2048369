package org.example.local;

import dev.tigris.net.testing.MessageContract;
import dev.tigris.net.testing.NamedSubject;

/// The provider, found by its name, carries messages as every other does.
class LocalMessagesTest extends MessageContract {
  LocalMessagesTest() {
    super(new NamedSubject("local", "*", false));
  }
}
