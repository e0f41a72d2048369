package dev.tigris.net.testing;

import dev.tigris.net.Status;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// As [ConnectionContract], and what io_uring promises beyond that.
abstract class UringConnectionContract extends ConnectionContract {
  UringConnectionContract(Subject subject) {
    super(subject);
  }

  /// With few messages, links that listen still do; with many, the kernel only watches. Of an empty
  /// one nothing is left to take.
  @ParameterizedTest
  @CsvSource({"1, 100", "8, 100", "1, 0"})
  void noticeAnAbortWhileMessagesWait(int messages, int bytes) {
    connect();
    for (int i = 0; i < messages; i++) {
      expect(left, left.send(left.memory(new byte[bytes])), Status.DONE);
      right.expectNothing();
    }
    left.run(left.link()::abort);
    expectBroken(right);
  }
}
