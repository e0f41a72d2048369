package dev.tigris.cluster;

import dev.tigris.flow.testing.StreamContract;
import dev.tigris.net.Fabric;
import dev.tigris.testing.Slow;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/// Streams over virtual interfaces keep the contract of streams, over each provider.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class InterfaceStreamTest {
  private static List<StreamContract.Check> checks(String provider) {
    String address = provider.equals("shm") ? "*" : "127.0.0.1:0";
    return StreamContract.apart(
            window -> new EndsApart(Fabric.open(provider), Fabric.open(provider), address, window))
        .checks();
  }

  private static Stream<DynamicTest> contract(String... providers) {
    return Stream.of(providers)
        .flatMap(
            provider ->
                checks(provider).stream()
                    .map(
                        check ->
                            DynamicTest.dynamicTest(
                                check.name() + " over " + provider, check::run)));
  }

  @TestFactory
  Stream<DynamicTest> keepsTheContract() {
    return contract("shm");
  }

  @Slow("each provider has twenty checks")
  @TestFactory
  Stream<DynamicTest> keepsTheContractOverTcpAndUring() {
    return contract("tcp", "uring");
  }
}
