// Over 400 lines: one contract, for groups over each kind of place.
package dev.tigris.cluster.group;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.PeerLostException;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.Doubles;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Longs;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Messages between members on threads, and what is told when they do not fit one another. Over a
/// provider that shares memory, collective calls go through that.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
abstract class GroupContract {
  private final String provider;

  GroupContract(String provider) {
    this.provider = provider;
  }

  private GroupException failed(int size, Group.Body body) {
    return assertThrows(GroupException.class, () -> GroupThreads.run(size, provider, body));
  }

  private static void assertTold(GroupException failure, String... parts) {
    for (String part : parts) {
      assertTrue(String.valueOf(failure.getMessage()).contains(part), failure::getMessage);
    }
  }

  @Test
  void messagesOfOneTagArriveInTheirOrderAndThoseOfOthersByTag() throws Exception {
    GroupThreads.run(
        2,
        provider,
        group -> {
          Longs data = Jbuf.allocate(8).asLongs();
          if (group.rank() == 0) {
            for (int i = 0; i < 12; i++) {
              data.set(0, i);
              group.send(data, 1, i % 3);
              group.checkInvariants();
            }
          } else {
            for (int tag = 2; tag >= 0; tag--) {
              for (int i = 0; i < 4; i++) {
                Pending got = group.receive(data, 0, tag);
                assertEquals(i * 3 + tag, data.get(0));
                assertEquals(tag, got.tag());
                assertEquals(8, got.bytes());
                group.checkInvariants();
              }
            }
          }
        });
  }

  @Test
  void noMemberWaitsForTheNextCallOfAnother() throws Exception {
    CountDownLatch received = new CountDownLatch(1);
    CountDownLatch met = new CountDownLatch(2);
    GroupThreads.run(
        2,
        provider,
        group -> {
          Ints data = Jbuf.allocate(4).asInts();
          if (group.rank() == 0) {
            Pending sent = group.startSend(data, 1, 3);
            received.await();
            sent.await();
          } else {
            Pending _ = group.receive(data, 0, 3);
            received.countDown();
          }
          group.barrier();
          met.countDown();
          met.await();
        });
  }

  @Test
  void manyLongMessagesAreUnderWayBothWays() throws Exception {
    int count = 100; // more than one lane has descriptors
    int length = 20_000;
    GroupThreads.run(
        2,
        provider,
        group -> {
          int other = 1 - group.rank();
          List<Bytes> received = new ArrayList<>();
          List<Pending> all = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            Bytes out = Jbuf.allocate(length).asBytes();
            out.fill((byte) (i + group.rank()));
            Bytes in = Jbuf.allocate(length).asBytes();
            received.add(in);
            all.add(group.startReceive(in, other, 1));
            all.add(group.startSend(out, other, 1));
          }
          for (Pending each : all) {
            each.await();
          }
          for (int i = 0; i < count; i++) {
            assertEquals((byte) (i + other), received.get(i).get(0));
            assertEquals((byte) (i + other), received.get(i).get(length - 1));
          }
          group.checkInvariants();
        });
  }

  @Test
  void messagesOfAnotherTagHoldNoneUp() throws Exception {
    GroupThreads.run(
        2,
        provider,
        group -> {
          Ints data = Jbuf.allocate(4).asInts();
          for (int i = 0; group.rank() == 0 && i < 17; i++) {
            data.set(0, i);
            group.send(data, 1, i < 9 ? 1 : 2);
          }
          for (int i = 0; group.rank() == 1 && i < 17; i++) {
            int expected = i < 8 ? i + 9 : i - 8;
            Pending _ = group.receive(data, 0, i < 8 ? 2 : 1);
            assertEquals(expected, data.get(0));
          }
          group.checkInvariants();
        });
  }

  @Test
  void messagesAreReceivedInAnyOrderOfTheirTags() throws Exception {
    int count = 70;
    GroupThreads.run(
        2,
        provider,
        group -> {
          List<Pending> sent = new ArrayList<>();
          for (int tag = 0; group.rank() == 0 && tag < count; tag++) {
            Ints data = Jbuf.allocate(tag % 3 == 0 ? 20_000 : 400).asInts();
            data.set(99, tag);
            sent.add(group.startSend(data, 1, tag));
          }
          for (int tag = count - 1; group.rank() == 1 && tag >= 0; tag--) {
            Ints data = Jbuf.allocate(20_000).asInts();
            Pending its = group.receive(data, tag % 2 == 0 ? 0 : Group.ANY, tag);
            assertEquals(tag % 3 == 0 ? 20_000 : 400, its.bytes());
            assertEquals(tag, data.get(99));
            group.checkInvariants();
          }
          for (Pending each : sent) {
            each.await();
          }
        });
  }

  @Test
  void aMemberThatHasEndedIsToldToOneThatAsks() {
    GroupException e =
        assertThrows(
            GroupException.class,
            () ->
                GroupThreads.run(
                    2,
                    provider,
                    group -> {
                      if (group.rank() == 0) {
                        Pending its = group.startReceive(Jbuf.allocate(4).asInts(), 1, 3);
                        while (!its.isDone()) {
                          Thread.onSpinWait();
                        }
                      }
                    }));
    assertTrue(e.getMessage().contains("member 1 has ended"), e::getMessage);
    assertTrue(e.getMessage().contains("tag 3"), e::getMessage);
  }

  @Test
  void aGroupBelongsToItsThread() throws Exception {
    GroupThreads.run(
        1,
        provider,
        group ->
            CompletableFuture.runAsync(
                    () -> assertThrows(WrongThreadException.class, group::barrier))
                .join());
  }

  @Test
  void aReceiveOfAnyMemberTellsTheSender() throws Exception {
    GroupThreads.run(
        3,
        provider,
        group -> {
          Ints data = Jbuf.allocate(4).asInts();
          if (group.rank() > 0) {
            data.set(0, group.rank());
            group.send(data, 0, 5);
            return;
          }
          int sum = 0;
          for (int i = 0; i < 2; i++) {
            Pending got = group.receive(data, Group.ANY, Group.ANY);
            assertEquals(got.peer(), data.get(0));
            sum += data.get(0);
          }
          assertEquals(3, sum);
        });
  }

  @Test
  void containersGoAsTheyAre() throws Exception {
    int bytes = 20_000;
    GroupThreads.run(
        3,
        provider,
        group -> {
          Container own = Jbuf.allocate(bytes).asContainer();
          own.segment().asSlice(Container.HEADER_BYTES).fill((byte) group.rank());
          Container other = Jbuf.allocate(bytes).asContainer();
          Pending received = group.startReceive(other, (group.rank() + 2) % 3, 5);
          group.send(own, (group.rank() + 1) % 3, 5);
          received.await();
          assertEquals(bytes, received.bytes());
          assertEquals((group.rank() + 2) % 3, other.segment().get(JAVA_BYTE, bytes - 1));
          Container all = Jbuf.allocate(3L * bytes).asContainer();
          group.allGather(own, all);
          for (int member = 0; member < 3; member++) {
            assertEquals(member, all.segment().get(JAVA_BYTE, (member + 1L) * bytes - 1));
          }
          group.broadcast(own, 2);
          assertEquals(2, own.segment().get(JAVA_BYTE, bytes - 1));
          assertThrows(IllegalArgumentException.class, () -> group.allReduce(own, Reduction.SUM));
        });
  }

  @Test
  void aGroupOfOneHasAllOperations() throws Exception {
    GroupThreads.run(
        1,
        provider,
        group -> {
          Doubles data = Jbuf.allocate(8).asDoubles();
          Doubles all = Jbuf.allocate(8).asDoubles();
          data.set(0, 2.5);
          group.barrier();
          group.broadcast(data, 0);
          group.allReduce(data, Reduction.SUM);
          group.reduce(data, Reduction.SUM, 0);
          group.gather(data, all, 0);
          group.allGather(data, all);
          group.scatter(all, data, 0);
          group.allToAll(data, all);
          assertEquals(2.5, all.get(0));
        });
  }

  /// The second member has longer parts, short and long ones.
  @ParameterizedTest
  @CsvSource({
    "broadcast, 1",
    "reduce, 1",
    "allReduce, 1",
    "gather, 1",
    "allGather, 1",
    "scatter, 1",
    "allToAll, 1",
    "broadcast, 3000",
    "allReduce, 3000",
    "allGather, 3000",
    "allToAll, 3000"
  })
  void differentSizesAreTold(String call, int elements) {
    int size = 3;
    GroupException failure =
        failed(
            size,
            group -> {
              int count = elements + (group.rank() == 1 ? 1 : 0);
              Doubles part = Jbuf.allocate(8L * count).asDoubles();
              Doubles all = Jbuf.allocate(8L * count * size).asDoubles();
              switch (call) {
                case "broadcast" -> group.broadcast(part, 0);
                case "reduce" -> group.reduce(part, Reduction.SUM, 0);
                case "allReduce" -> group.allReduce(part, Reduction.SUM);
                case "gather" -> group.gather(part, all, 0);
                case "allGather" -> group.allGather(part, all);
                case "scatter" -> group.scatter(all, part, 0);
                default -> group.allToAll(all, Jbuf.allocate(8L * count * size).asDoubles());
              }
            });
    String of = "%s of %,d bytes".formatted(call, 8 * elements);
    String other = "%s of %,d bytes".formatted(call, 8 * (elements + 1));
    assertTold(failure, "member 1", of, other);
  }

  @Test
  void membersThatWaitForEachOtherInDifferentCallsAreTold() {
    GroupException failure =
        failed(
            2,
            group -> {
              Doubles data = Jbuf.allocate(8).asDoubles();
              group.barrier();
              group.broadcast(data, 1 - group.rank()); // each takes the other for the root
            });
    assertTold(failure, "with root 0", "with root 1", "collective call 2");
  }

  @Test
  void aMemberThatEndsEarlyIsTold() {
    GroupException failure =
        failed(
            3,
            group -> {
              if (group.rank() != 1) {
                group.barrier();
              }
            });
    assertTold(failure, "member 1 has ended", "barrier");
  }

  @Test
  void aReceiveFromAMemberThatHasEndedIsTold() {
    GroupException failure =
        failed(
            2,
            group -> {
              if (group.rank() == 0) {
                Pending _ = group.receive(Jbuf.allocate(8).asBytes(), 1, 3);
              }
            });
    assertTold(failure, "member 1 has ended", "a receive with tag 3");
  }

  @Test
  void aMessageThatWasNotReceivedIsTold() {
    GroupException failure =
        failed(
            2,
            group -> {
              if (group.rank() == 0) {
                group.send(Jbuf.allocate(8).asBytes(), 1, 7);
              }
            });
    assertTold(failure, "member 1 has ended without 1 messages", "tag 7");
  }

  @Test
  void aMessageThatDoesNotFitIsTold() {
    GroupException tooLong =
        failed(
            2,
            group -> {
              if (group.rank() == 0) {
                group.send(Jbuf.allocate(16).asBytes(), 1, 7);
              } else {
                Pending _ = group.receive(Jbuf.allocate(8).asBytes(), 0, 7);
              }
            });
    assertTold(tooLong, "16 bytes with tag 7", "memory of 8");
    GroupException otherType =
        failed(
            2,
            group -> {
              if (group.rank() == 0) {
                group.send(Jbuf.allocate(8).asDoubles(), 1, 7);
              } else {
                Pending _ = group.receive(Jbuf.allocate(8).asLongs(), 0, 7);
              }
            });
    assertTold(otherType, "DOUBLES", "LONGS");
  }

  @Test
  void aMemberThatThrowsFailsAllWithItsFailure() {
    IllegalStateException failure =
        assertThrows(
            IllegalStateException.class,
            () ->
                GroupThreads.run(
                    3,
                    provider,
                    group -> {
                      if (group.rank() == 2) {
                        throw new IllegalStateException("wrong");
                      }
                      GroupException lost = assertThrows(GroupException.class, group::barrier);
                      assertInstanceOf(PeerLostException.class, lost.getCause());
                      throw lost;
                    }));
    assertEquals("wrong", failure.getMessage());
  }

  @Test
  void wrongArgumentsAreRefused() throws Exception {
    GroupThreads.run(
        2,
        provider,
        group -> {
          Bytes bytes = Jbuf.allocate(8).asBytes();
          Doubles one = Jbuf.allocate(8).asDoubles();
          assertThrows(IndexOutOfBoundsException.class, () -> group.send(bytes, 2, 0));
          assertThrows(IllegalArgumentException.class, () -> group.send(bytes, group.rank(), 0));
          assertThrows(
              IllegalArgumentException.class, () -> group.send(bytes, 1 - group.rank(), -1));
          assertThrows(IllegalArgumentException.class, () -> group.allReduce(bytes, Reduction.SUM));
          assertThrows(IllegalArgumentException.class, () -> group.allReduce(one, Reduction.AND));
          assertThrows(IllegalArgumentException.class, () -> group.allGather(one, one));
          assertThrows(IllegalArgumentException.class, () -> group.allToAll(one, one));
          assertThrows(IllegalStateException.class, group::results);
        });
  }
}
