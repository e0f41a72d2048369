package dev.tigris.message.call;

import dev.tigris.net.testing.NamedSubject;

class ShmCallTest extends CallContract {
  ShmCallTest() {
    super(new NamedSubject("shm", "*", false), false);
  }
}
