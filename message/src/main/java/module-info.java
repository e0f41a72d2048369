/// Active messages: short, medium and bulk messages that run a handler where they arrive, over
/// virtual interfaces. And calls whose arguments and results are objects.
module dev.tigris.message {
  requires static jdk.jfr; // works without
  requires static transitive org.jspecify;
  requires dev.tigris.os;
  requires jdk.net;
  requires transitive dev.tigris.memory;
  requires transitive dev.tigris.net;

  exports dev.tigris.message;
  exports dev.tigris.message.call;
}
