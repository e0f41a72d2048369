package dev.tigris.flow;

import org.jspecify.annotations.Nullable;

/// The outgoing stream that a module gets where its stage does not have exactly one: it refuses
/// every water, with a message that says what to call instead.
final class ClosedStream extends Stream {
  private final String advice;

  ClosedStream(String name, String advice) {
    super(name, 1);
    this.advice = advice;
  }

  @Override
  public Spring spring() {
    throw refusal();
  }

  @Override
  public int outstanding() {
    return 0;
  }

  @Override
  public boolean isReady() {
    return false;
  }

  @Override
  public boolean isDrained() {
    return true;
  }

  @Override
  protected boolean canCarry(Water water) {
    throw refusal();
  }

  @Override
  protected void send(Water water) {
    throw refusal();
  }

  @Override
  protected void sendEnd() {}

  @Override
  protected @Nullable Water receive() {
    return null;
  }

  @Override
  protected void release(Water water) {
    throw refusal();
  }

  @Override
  protected void leave(Water water) {
    throw refusal();
  }

  @Override
  protected void dispose(boolean complete) {}

  private IllegalStateException refusal() {
    return new IllegalStateException(advice);
  }
}
