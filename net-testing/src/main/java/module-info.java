/// What every provider has to pass, as tests of JUnit, and a provider that breaks its promises on
/// purpose, for tests of what is built on top.
module dev.tigris.net.testing {
  requires static transitive org.jspecify;
  requires transitive dev.tigris.net;
  requires java.logging;
  requires java.management;
  requires jdk.management;
  requires transitive org.junit.jupiter.api;
  requires org.junit.jupiter.params;

  exports dev.tigris.net.testing;

  opens dev.tigris.net.testing to
      org.junit.platform.commons;
}
