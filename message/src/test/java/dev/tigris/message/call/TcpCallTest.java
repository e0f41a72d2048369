package dev.tigris.message.call;

import dev.tigris.net.testing.NamedSubject;

class TcpCallTest extends CallContract {
  TcpCallTest() {
    super(new NamedSubject("tcp", "127.0.0.1:0", true), false);
  }
}
