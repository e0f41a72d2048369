package dev.tigris.net.libfabric;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.net.Attributes;
import dev.tigris.net.Connection;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.net.testing.ArrayContract;
import dev.tigris.net.testing.CompletionContract;
import dev.tigris.net.testing.ConnectionContract;
import dev.tigris.net.testing.FabricContract;
import dev.tigris.net.testing.FileMemoryContract;
import dev.tigris.net.testing.MemoryContract;
import dev.tigris.net.testing.MessageContract;
import dev.tigris.net.testing.ProcessContract;
import dev.tigris.net.testing.SharedQueueContract;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/// The contract suite on connected endpoints of libfabric, over its provider `tcp`; over `verbs`
/// with `-Dtigris.test.libfabric.address=HOST:0`, the host being the address of a device.
@EnabledIf(value = "isInstalled", disabledReason = "libfabric is missing: apt install libfabric1")
class LibfabricTest {
  private static final String ADDRESS =
      System.getProperty("tigris.test.libfabric.address", "127.0.0.1:0");

  static final FabricContract.Subject LIBFABRIC =
      new FabricContract.Subject() {
        @Override
        public Fabric open() {
          return Fabric.open("libfabric");
        }

        @Override
        public String anyAddress() {
          return ADDRESS;
        }
      };

  static boolean isInstalled() {
    return new LibfabricProvider().obstacle().isEmpty();
  }

  @Nested
  class Messages extends MessageContract {
    Messages() {
      super(LIBFABRIC);
    }
  }

  @Nested
  class Completions extends CompletionContract {
    Completions() {
      super(LIBFABRIC);
    }
  }

  @Nested
  class SharedQueues extends SharedQueueContract {
    SharedQueues() {
      super(LIBFABRIC);
    }
  }

  @Nested
  class Memory extends MemoryContract {
    Memory() {
      super(LIBFABRIC);
    }
  }

  @Nested
  class FileMemory extends FileMemoryContract {
    FileMemory() {
      super(LIBFABRIC);
    }
  }

  @Nested
  class Processes extends ProcessContract {
    Processes() {
      super(LIBFABRIC);
    }
  }

  @Nested
  class Arrays extends ArrayContract {
    Arrays() {
      super(LIBFABRIC);
    }
  }

  @Nested
  class Connections extends ConnectionContract {
    Connections() {
      super(LIBFABRIC);
    }

    /// The request goes through somebody who holds it back until the listener is about to close.
    @Test
    void refusesWhoseRequestIsLateWhenTheListenerCloses() throws Exception {
      InetAddress host = TcpAddress.parse(subject.anyAddress()).getAddress();
      assumeTrue(host.isLoopbackAddress(), "what goes through a device cannot be held back");
      Listener closing = fabric.listen(subject.anyAddress());
      int port = TcpAddress.parse(closing.address()).getPort();
      try (ServerSocket relay = new ServerSocket(0, 1, host);
          ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        String address = TcpAddress.format((InetSocketAddress) relay.getLocalSocketAddress());
        Future<Connection> asked =
            left.start(
                () -> fabric.connect(address, TAG, left.queue(), Attributes.DEFAULT, PATIENCE));
        try (Socket there = relay.accept();
            Socket here = new Socket(host, port)) {
          Future<?> closed = threads.submit(closing::close);
          assertThrows(TimeoutException.class, () -> closed.get(100, TimeUnit.MILLISECONDS));
          Future<?> _ =
              threads.submit(() -> there.getInputStream().transferTo(here.getOutputStream()));
          here.getInputStream().transferTo(there.getOutputStream());
          get(closed);
        }
        refused(asked, Connection.Reason.NOBODY_LISTENS);
      }
    }
  }
}
