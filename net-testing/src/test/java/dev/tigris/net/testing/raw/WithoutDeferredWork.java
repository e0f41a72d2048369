package dev.tigris.net.testing.raw;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.tigris.os.Calls;
import dev.tigris.os.OpenFile;
import dev.tigris.os.SystemException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/// Runs tests as on Linux 6.0, which does not know `IORING_SETUP_DEFER_TASKRUN`: on a thread whose
/// rings, and those of the threads that it starts, a filter of system calls has us decide of. Other
/// tests of this process notice nothing. No test may start a process there that makes rings: its
/// parameters would be looked for in the memory of this one.
///
/// ```text
///   what is asked (80)   id 0 | process 8 | flags 12 | call 16 | arguments 32 40 48 ...
///   the answer (24)      id 0 | value 8 | error 16 | flags 20
/// ```
// SAFETY: bounds: the flags are among the first 16 bytes of the parameters; lifetime: the caller
// holds these until its call returns, and it waits for us; thread: one reads what the other wrote
// before its call.
public final class WithoutDeferredWork implements InvocationInterceptor {
  private static final long IOCTL = System.getProperty("os.arch").equals("aarch64") ? 29 : 16;
  private static final long RECEIVE = 0xC0502100L;
  private static final long ANSWER = 0xC0182101L;
  private static final int ASKED_BYTES = 80;
  private static final int ANSWER_BYTES = 24;
  private static final int SECOND_ARGUMENT = 40;
  private static final int LET_IT_BE = 1;
  private static final int DEFER_TASKRUN = 1 << 13;
  private static final int NO_SUCH_FILE = -2; // whoever asked has gone on, or was interrupted
  private static final int INTERRUPTED = -4;

  private static final AtomicLong REFUSALS = new AtomicLong();

  /// The thread that the tests of all classes run on: it can be filtered once only.
  private static final class Watched {
    private static final ExecutorService THREAD =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("without-deferred-work").daemon().factory());

    /// Why it is not looked at; empty if it is.
    private static final String OBSTACLE = start();

    private static String start() {
      try {
        OpenFile questions = THREAD.submit(Seccomp::askBeforeAnIoUringIsMade).get();
        Thread.ofPlatform().name("decide").daemon().start(() -> decide(questions));
        return "";
      } catch (ExecutionException | InterruptedException e) {
        return e.toString();
      }
    }
  }

  /// How many rings were refused so far.
  public static long refusals() {
    return REFUSALS.get();
  }

  /// Answers until this process ends.
  private static void decide(OpenFile questions) {
    MemorySegment asked = Arena.ofAuto().allocate(ASKED_BYTES, 8);
    MemorySegment answer = Arena.ofAuto().allocate(ANSWER_BYTES, 8);
    int fd = questions.number();
    while (true) {
      asked.fill((byte) 0);
      long got = Calls.syscall(IOCTL, fd, RECEIVE, asked.address(), 0);
      if (got == NO_SUCH_FILE || got == INTERRUPTED) {
        continue;
      }
      if (got < 0) {
        throw new IllegalStateException("nothing more to decide: error " + -got);
      }
      boolean refused = (flags(asked.get(JAVA_LONG, SECOND_ARGUMENT)) & DEFER_TASKRUN) != 0;
      if (refused) {
        REFUSALS.incrementAndGet();
      }
      answer.set(JAVA_LONG, 0, asked.get(JAVA_LONG, 0));
      answer.set(JAVA_INT, 16, refused ? -SystemException.INVALID : 0);
      answer.set(JAVA_INT, 20, refused ? 0 : LET_IT_BE);
      long _ = Calls.syscall(IOCTL, fd, ANSWER, answer.address(), 0);
    }
  }

  @SuppressWarnings("restricted")
  private static int flags(long parameters) {
    return MemorySegment.ofAddress(parameters).reinterpret(16).get(JAVA_INT, 8);
  }

  /// Calls it on the thread that is looked at.
  private static void there(Invocation<Void> invocation) throws Throwable {
    if (!Watched.OBSTACLE.isEmpty()) {
      abort("system calls cannot be looked at here: " + Watched.OBSTACLE);
    }
    Future<Optional<Throwable>> outcome =
        Watched.THREAD.submit(
            () -> {
              try {
                Void _ = invocation.proceed();
                return Optional.empty();
              } catch (Throwable e) {
                return Optional.of(e);
              }
            });
    Optional<Throwable> failure = outcome.get();
    if (failure.isPresent()) {
      throw failure.get();
    }
  }

  @Override
  public void interceptBeforeEachMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    there(invocation);
  }

  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    there(invocation);
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    there(invocation);
  }

  @Override
  public void interceptAfterEachMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    there(invocation);
  }
}
