package dev.tigris.message;

import dev.tigris.net.testing.NamedSubject;

class ShmMessageTest extends MessageContract {
  ShmMessageTest() {
    super(new NamedSubject("shm", "*", false), false);
  }
}
