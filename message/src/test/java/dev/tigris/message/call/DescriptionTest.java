package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// The numbers of statuses, the interfaces that are refused, and descriptions.
class DescriptionTest {
  @Test
  void statusesHaveTheNumbersOfGrpc() {
    List<String> names =
        List.of(
            "OK",
            "CANCELLED",
            "UNKNOWN",
            "INVALID_ARGUMENT",
            "DEADLINE_EXCEEDED",
            "NOT_FOUND",
            "ALREADY_EXISTS",
            "PERMISSION_DENIED",
            "RESOURCE_EXHAUSTED",
            "FAILED_PRECONDITION",
            "ABORTED",
            "OUT_OF_RANGE",
            "UNIMPLEMENTED",
            "INTERNAL",
            "UNAVAILABLE",
            "DATA_LOSS",
            "UNAUTHENTICATED");
    assertEquals(names, Arrays.stream(Status.values()).map(Enum::name).toList());
    assertEquals(Status.UNAVAILABLE, Status.of(14));
    assertNull(Status.of(17));
    assertNull(Status.of(-1));
  }

  /// No service: it has no mark.
  interface Unmarked {
    void call();
  }

  /// No service: a method has what cannot be sent.
  @Service
  interface Unsendable {
    void call(List<String> list);
  }

  /// No service: two methods have one name.
  @Service
  interface Overloaded {
    void call(int value);

    void call(long value);
  }

  /// No service: a box is no primitive.
  @Service
  interface Boxed {
    Integer call();
  }

  @Test
  void refusesInterfacesThatCannotBeCalled() {
    for (Class<?> type :
        List.of(Unmarked.class, Unsendable.class, Overloaded.class, Boxed.class, String.class)) {
      assertThrows(IllegalArgumentException.class, () -> ServiceModel.of(type), type::getName);
    }
  }

  @Test
  void describesAServer() {
    List<Signature> methods =
        ServiceModel.of(Orders.class).methods().stream().map(each -> each.signature()).toList();
    byte[] bytes = new Description(methods).toBytes();
    List<Signature> read = Description.parse(bytes).methods();
    assertEquals(
        methods.stream().map(Signature::id).toList(), read.stream().map(Signature::id).toList());
    assertEquals(
        "Results<Order> Orders.open(int, int)",
        Description.parse(bytes).byName().get("Orders.open").text());
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 500; i++) {
      byte[] damaged = Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length - 1));
      assertThrows(IllegalArgumentException.class, () -> Description.parse(damaged));
      byte[] changed = bytes.clone();
      changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
      try {
        Description _ = Description.parse(changed);
      } catch (IllegalArgumentException e) {
        assertEquals(IllegalArgumentException.class, e.getClass(), "and nothing else");
      }
    }
  }
}
