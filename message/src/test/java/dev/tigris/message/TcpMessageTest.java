package dev.tigris.message;

import dev.tigris.net.testing.NamedSubject;

class TcpMessageTest extends MessageContract {
  TcpMessageTest() {
    super(new NamedSubject("tcp", "127.0.0.1:0", true), false);
  }
}
