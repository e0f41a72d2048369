package dev.tigris.net.libfabric;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What was posted to the library and is not complete, by the numbers that the library is given.
///
/// Conserved: operations made = spare + under way; those under way belong to receiving endpoints,
/// closed ones among them until all have come back, or the queue of completions was empty once
/// after the close.
final class Operations {
  /// How many are made at a time.
  private static final int AT_A_TIME = 64;

  private final List<Operation> all = new ArrayList<>();
  private final ArrayDeque<Operation> spare = new ArrayDeque<>();

  /// Closed, and some of what was posted to them has not come back.
  private final List<ReceivingEndpoint> closed = new ArrayList<>();

  private int reads;

  /// An operation for something that is about to be posted.
  ///
  /// @param by whose it is; null for a receive of a receiving endpoint that several share
  Operation start(ReceivingEndpoint receivingEndpoint, @Nullable Channel by) {
    if (spare.isEmpty()) {
      for (int i = 0; i < AT_A_TIME; i++) {
        Operation made = new Operation(all.size());
        all.add(made);
        spare.push(made);
      }
    }
    receivingEndpoint.operationsUnderWay++;
    return spare.pop().start(receivingEndpoint, by);
  }

  /// An operation that reads a part of a message, as [Operation#read].
  Operation startRead(
      Channel channel, Inbound message, @Nullable Buffer into, long from, long size) {
    reads++;
    return start(channel.receivingEndpoint, channel).read(message, into, from, size);
  }

  /// The one with this number.
  Operation get(long number) {
    return all.get((int) number);
  }

  /// It is complete, or could not be posted.
  void end(Operation operation) {
    ReceivingEndpoint receivingEndpoint = operation.receivingEndpoint();
    if (--receivingEndpoint.operationsUnderWay == 0 && !closed.isEmpty()) {
      closed.remove(receivingEndpoint);
    }
    reads -= operation.kind == Operation.Kind.READ ? 1 : 0;
    operation.forget();
    spare.push(operation);
  }

  /// Whether parts of messages are being read.
  boolean areReading() {
    return reads > 0;
  }

  /// A receiving endpoint is closed: what was posted to it comes back failed, or never.
  void closed(ReceivingEndpoint receivingEndpoint) {
    if (receivingEndpoint.operationsUnderWay > 0) {
      closed.add(receivingEndpoint);
    }
  }

  /// Whether closed receiving endpoints have some.
  boolean areLeft() {
    return !closed.isEmpty();
  }

  /// Ends what closed receiving endpoints have: the queue of completions is empty.
  void reclaim(Consumer<Buffer> giveBack) {
    for (ReceivingEndpoint receivingEndpoint : List.copyOf(closed)) {
      for (int i = 0; receivingEndpoint.operationsUnderWay > 0 && i < all.size(); i++) {
        Operation operation = all.get(i);
        if (operation.isOf(receivingEndpoint)) {
          Buffer buffer = operation.buffer();
          end(operation);
          if (buffer != null) {
            giveBack.accept(buffer);
          }
        }
      }
    }
  }

  /// Throws if what receiving endpoints count does not add up.
  ///
  /// @param open the receiving endpoints that are not closed
  void checkInvariants(Stream<ReceivingEndpoint> open) {
    int underWay = all.size() - spare.size();
    int owned =
        Stream.concat(open, closed.stream())
            .mapToInt(receivingEndpoint -> receivingEndpoint.operationsUnderWay)
            .sum();
    if (underWay != owned) {
      throw new IllegalStateException(
          "%d operations are under way, and receivingEndpoints have %d".formatted(underWay, owned));
    }
  }
}
