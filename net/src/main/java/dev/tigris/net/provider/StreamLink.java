package dev.tigris.net.provider;

import dev.tigris.net.Attributes;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A link over a stream of bytes: frames messages, takes frames apart, and ends the connection.
/// [Frame] has the layout.
///
/// A provider makes the stream, and adds the link to its [StreamPort]. That calls [#progress] when
/// there may be something to do.
///
/// *This class may still change between minor versions.*
public abstract class StreamLink extends Link {
  private final StreamPort port;
  private final ByteStream stream;
  private final String peer;
  private final StreamSender outgoing;
  private final StreamReceiver incoming;

  /// Whether the stream only seems to have ended.
  private boolean isCut;

  private boolean shutDown;
  private boolean released;

  /// Makes a connected link. [StreamPort#add] follows.
  ///
  /// @param port which it is added to
  /// @param peer the name of the peer, for messages
  /// @param peerMaximum the longest message that the peer takes
  protected StreamLink(
      StreamPort port, ByteStream stream, String peer, Attributes attributes, long peerMaximum) {
    super(attributes, peerMaximum);
    this.port = port;
    this.stream = stream;
    this.peer = peer;
    StreamBuffers buffers = port.buffers();
    this.outgoing = new StreamSender(buffers, stream, sends);
    this.incoming = new StreamReceiver(buffers, stream, receives, attributes.maximumMessageBytes());
  }

  // ---- what the provider does

  /// The link is wanted no longer: its stream was closed, and the port has removed it.
  ///
  /// @param abruptly as the stream was told
  protected void released(boolean abruptly) {}

  /// Tells the port what the link waits for, where it has to know.
  ///
  /// @param toRead whether for something to read
  /// @param toWrite whether for room to write
  protected void waitsFor(boolean toRead, boolean toWrite) {}

  /// Whether a failure means that the stream was cut: its end is not the peer's then.
  protected boolean cuts(IOException failure) {
    return false;
  }

  /// The reason of a failure, in words.
  protected String describe(IOException failure) {
    return String.valueOf(failure.getMessage());
  }

  // ---- moving

  @Override
  public final String peer() {
    return peer;
  }

  @Override
  public final boolean takesArrays() {
    return true;
  }

  @Override
  public final void register(Region region) {
    if (region.isSteady()) { // others go through the buffer
      region.registration(new Windows(region));
    }
  }

  @Override
  public final void ring() {
    if (!released) {
      try {
        write();
        if (incoming.isWaiting()) {
          read();
        }
        tellWhatIsMissing();
      } catch (IOException e) {
        lost(e);
      } catch (BreakingException e) {
        failOf(e);
      }
    }
  }

  /// Moves what can be moved.
  public final void progress() {
    if (released) {
      return;
    }
    try {
      if (isLingering()) {
        linger();
      } else {
        if (outgoing.isPending()) {
          write();
        }
        read();
        tellWhatIsMissing();
      }
    } catch (IOException e) {
      lost(e);
    } catch (BreakingException e) {
      failOf(e);
    }
  }

  /// The stream has failed. If it was while something was sent, what the peer has sent before it
  /// closed, in order perhaps, may be there still.
  private void lost(IOException cause) {
    isCut |= cuts(cause);
    try {
      if (!released && !isLingering()) {
        read();
      }
    } catch (IOException same) {
      // the connection is lost either way
    }
    fail("the connection is lost: " + describe(cause), cause);
  }

  @Override
  protected final void fail(String what, @Nullable Throwable cause) {
    release();
    broken(failure(what, cause));
  }

  private void write() throws IOException {
    for (int complete = outgoing.write(); complete > 0; complete--) {
      sends.sent();
    }
  }

  private void read() throws IOException {
    try {
      incoming.read();
    } catch (BreakingException e) {
      failOf(e);
      return;
    }
    if (incoming.saidGoodbye()) {
      release();
      ended();
    } else if (incoming.isOver() && !isCut) {
      fail("it ended without a goodbye: the peer was killed, or has aborted");
    }
  }

  private void tellWhatIsMissing() {
    if (!released) {
      waitsFor(incoming.canRead(), outgoing.isPending());
    }
  }

  // ---- closing

  @Override
  protected final void disconnect(boolean inOrder) {
    if (!inOrder) {
      release(true);
    } else if (!released) {
      outgoing.sayGoodbye();
      port.linger(this);
      progress();
    }
  }

  /// Writes the goodbye, and reads on until the peer has closed: a socket that is closed with
  /// something unread takes back what the peer has not read.
  private void linger() throws IOException {
    write();
    if (!outgoing.isPending() && !shutDown) {
      stream.endOutput();
      shutDown = true;
    }
    if (incoming.discard()) {
      release();
    } else {
      waitsFor(true, !shutDown);
    }
  }

  /// Closes the stream, and lets go of everything that belongs to the link. It can be called again.
  public final void release() {
    release(false);
  }

  private void release(boolean abruptly) {
    if (!released) {
      released = true;
      stream.close(abruptly);
      port.remove(this);
      released(abruptly);
      incoming.release();
      outgoing.release();
    }
  }

  @Override
  public void checkInvariants() {
    outgoing.checkInvariants();
    incoming.checkInvariants();
  }
}
