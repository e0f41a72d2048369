package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.Failure;
import dev.tigris.cluster.run.protocol.Order;
import dev.tigris.cluster.run.protocol.Report;
import dev.tigris.cluster.run.protocol.RunId;
import dev.tigris.cluster.run.protocol.Word;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Messages between coordinator and workers as bytes.
class FrameTest {
  private static final Epoch EPOCH = new Epoch(new RunId(-1, 7), 3);
  private static final byte[] BESIDE = {1, 2, 3};
  private static final Failure FAILURE = new Failure(Failure.Kind.MODULE, 2, "it is bad: ü");

  static Stream<Order.Step> steps() {
    return Stream.of(
        new Order.Step.Wait(),
        new Order.Step.Describe(),
        new Order.Step.Wire(List.of("one", "", "three")),
        new Order.Step.Initialize(),
        new Order.Step.Run(),
        new Order.Step.Prepare(),
        new Order.Step.Publish(),
        new Order.Step.Abort("why"),
        new Order.Step.Leave());
  }

  static Stream<Word> words() {
    return Stream.of(
        new Word.Joined("here"),
        new Word.Described(Map.of("a", "1", "b", "2")),
        new Word.Wired(),
        new Word.Initialized(),
        new Word.Running(),
        new Word.Ended(ByteBuffer.wrap(new byte[] {9, 8})),
        new Word.Prepared(),
        new Word.Published(List.of("left"), List.of("unclosed")),
        new Word.Failing(FAILURE),
        new Word.Aborted(),
        new Word.Failed(FAILURE));
  }

  @ParameterizedTest
  @MethodSource("steps")
  void anOrderIsReadAsItWasWritten(Order.Step step) throws IOException {
    Order order = new Order(EPOCH, 5, step);
    byte[] bytes = Frame.of(order, BESIDE);
    assertEquals(new Frame.Content.OfOrder(order, ByteBuffer.wrap(BESIDE)), Frame.read(bytes));
    requireRefusals(bytes);
  }

  @ParameterizedTest
  @MethodSource("words")
  void aReportIsReadAsItWasWritten(Word word) throws IOException {
    Report report = new Report(EPOCH, 2, 5, word);
    byte[] bytes = Frame.of(report, BESIDE);
    assertEquals(new Frame.Content.OfReport(report, ByteBuffer.wrap(BESIDE)), Frame.read(bytes));
    requireRefusals(bytes);
  }

  /// Bytes that are cut are refused; others are, or are another message.
  private static void requireRefusals(byte[] bytes) {
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThrows(IOException.class, () -> Frame.read(cut));
    }
    for (int at = 0; at < bytes.length; at++) {
      byte[] changed = bytes.clone();
      changed[at] ^= (byte) 0x81;
      try {
        Frame.Content _ = Frame.read(changed);
      } catch (IOException e) {
        // refused
      }
    }
  }

  @Test
  void anExceptionIsReadWithItsCausesAndPlaces() throws IOException {
    IllegalStateException thrown =
        new IllegalStateException("outer", new IOException("inner", new Unspeakable()));
    byte[] bytes = Frame.bytes(out -> RemoteException.write(out, thrown));
    RemoteException read = RemoteException.read(Frame.reading(bytes));
    assertEquals("java.lang.IllegalStateException: outer", read.getMessage());
    assertEquals(
        thrown.getStackTrace()[0].getLineNumber(), read.getStackTrace()[0].getLineNumber());
    assertEquals(
        thrown.getStackTrace()[0].getMethodName(), read.getStackTrace()[0].getMethodName());
    assertEquals(thrown.getStackTrace().length, read.getStackTrace().length);
    assertEquals("java.io.IOException: inner", read.getCause().getMessage());
    RemoteException last = (RemoteException) read.getCause().getCause();
    assertEquals(Unspeakable.class.getName(), last.className());
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThrows(IOException.class, () -> RemoteException.read(Frame.reading(cut)));
    }
  }

  @Test
  void anExceptionThatThrowsWhenItIsAskedIsTold() throws IOException {
    RuntimeException circle = new RuntimeException("in a circle");
    RuntimeException outer = new RuntimeException("outer", circle);
    circle.initCause(outer);
    assertEquals(16, RemoteException.causes(outer).size());
    Throwable hostile = new RuntimeException("outer", new Hostile());
    byte[] bytes = Frame.bytes(out -> RemoteException.write(out, hostile));
    RemoteException read = RemoteException.read(Frame.reading(bytes));
    RemoteException inner = (RemoteException) read.getCause();
    assertEquals(Hostile.class.getName(), inner.className());
    assertEquals(0, inner.getStackTrace().length);
    assertEquals(
        IllegalStateException.class.getName(), ((RemoteException) inner.getCause()).className());
  }

  private static final class Hostile extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public synchronized Throwable getCause() {
      throw new IllegalStateException("no cause");
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      throw new IllegalStateException("no place");
    }
  }

  private static final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no words");
    }
  }
}
