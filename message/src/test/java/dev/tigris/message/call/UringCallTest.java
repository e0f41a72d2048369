package dev.tigris.message.call;

import dev.tigris.net.testing.NamedSubject;
import dev.tigris.testing.Slow;

@Slow("the quick tier has it over tcp")
class UringCallTest extends CallContract {
  UringCallTest() {
    super(new NamedSubject("uring", "127.0.0.1:0", true), false);
  }
}
