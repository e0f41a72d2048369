package dev.tigris.message;

import dev.tigris.net.testing.NamedSubject;

class UringMessageTest extends MessageContract {
  UringMessageTest() {
    super(new NamedSubject("uring", "127.0.0.1:0", true), false);
  }
}
