package dev.tigris.net.testing;

import org.junit.jupiter.api.Nested;

/// Tests that every provider has to pass, in one class. [ProcessContract] has those whose peer is
/// another process.
///
/// ```java
/// class MyProviderTest extends ProviderContract {
///   MyProviderTest() {
///     super(new NamedSubject("mine", "localhost:0", true));
///   }
/// }
/// ```
public abstract class ProviderContract {
  private final FabricContract.Subject provider;

  /// Runs on this provider.
  protected ProviderContract(FabricContract.Subject subject) {
    this.provider = subject;
  }

  @Nested
  class Messages extends MessageContract {
    Messages() {
      super(provider);
    }
  }

  @Nested
  class Completions extends CompletionContract {
    Completions() {
      super(provider);
    }
  }

  @Nested
  class Memory extends MemoryContract {
    Memory() {
      super(provider);
    }
  }

  @Nested
  class FileMemory extends FileMemoryContract {
    FileMemory() {
      super(provider);
    }
  }

  @Nested
  class Arrays extends ArrayContract {
    Arrays() {
      super(provider);
    }
  }

  @Nested
  class SharedQueues extends SharedQueueContract {
    SharedQueues() {
      super(provider);
    }
  }

  @Nested
  class Connections extends ConnectionContract {
    Connections() {
      super(provider);
    }
  }
}
