package dev.tigris.net.tcp;

import dev.tigris.net.Tls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.InvalidAlgorithmParameterException;
import java.security.Principal;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/// TLS on a socket.
///
/// ```text
///             decrypt            socket
///   reader <-- `plain` <-- `incoming` <--
///        ^------------------'             large enough a target is decrypted into
///                              socket
///   writer --------> `outgoing` -->       one record at a time
///             encrypt
/// ```
///
/// The handshake is a part of reading and writing: until it is done these move nothing. All buffers
/// are ready to be taken from, except while they are filled. A stranger, who may never say a thing,
/// has none outside the heap; whoever has shaken hands has all that records need.
///
/// No session is resumed, of which whoever has been trusted once could go on without a look at
/// certificates that have run out meanwhile, or are trusted no more.
final class TlsWire implements Wire {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /// A record has at most a quarter of this, and buffers have room for one.
  private static final int MOST_RECORD_BYTES = 1 << 16;

  /// But for the one that takes what a stranger says first.
  private static final int FIRST_BYTES = 1 << 10;

  /// How many records that bring nothing to take for each call, be they empty, or of the handshake
  /// or what follows it: a peer could send them for ever, and keep the thread from everybody else.
  static final int MOST_EMPTY_RECORDS = 64;

  /// How many of them to take while an answer waits for room in the socket: the engine keeps others
  /// behind it.
  static final int MOST_UNANSWERED = 1024;

  private final SocketChannel channel;
  private final SSLEngine engine;
  private final int packetBytes;
  private final long begunMillis = System.currentTimeMillis();
  private ByteBuffer incoming = ByteBuffer.allocate(FIRST_BYTES).flip();
  private ByteBuffer outgoing = ByteBuffer.allocate(0);
  private ByteBuffer plain = ByteBuffer.allocate(0);

  /// Whether `incoming` holds no whole record.
  private boolean starved = true;

  private int emptyRecordsLeft;
  private int unanswered;
  private boolean open;
  private boolean ended;
  private boolean failed;

  private TlsWire(SocketChannel channel, SSLEngine engine) {
    this.channel = channel;
    this.engine = engine;
    this.packetBytes = engine.getSession().getPacketBufferSize();
  }

  /// For the side that connects to `remote`.
  static TlsWire connecting(SocketChannel channel, Tls tls, InetSocketAddress remote)
      throws IOException {
    SSLEngine engine = tls.context().createSSLEngine(remote.getHostString(), remote.getPort());
    engine.setUseClientMode(true);
    return begin(channel, tls, engine);
  }

  /// For the side that listens.
  static TlsWire accepting(SocketChannel channel, Tls tls) throws IOException {
    SSLEngine engine = tls.context().createSSLEngine();
    engine.setUseClientMode(false);
    return begin(channel, tls, engine);
  }

  private static TlsWire begin(SocketChannel channel, Tls tls, SSLEngine engine)
      throws IOException {
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setProtocols(new String[] {Tls.PROTOCOL});
    if (!engine.getUseClientMode()) {
      parameters.setNeedClientAuth(true);
    } else if (tls.checksHost()) {
      parameters.setEndpointIdentificationAlgorithm("HTTPS"); // the rules for names, of RFC 2818
    }
    engine.setSSLParameters(parameters);
    engine.beginHandshake();
    return new TlsWire(channel, engine);
  }

  /// What went wrong, for people. Where the engine did not expect it, as trusted certificates that
  /// there are none of, only its cause says what it was.
  static String describe(IOException failure) {
    String what = String.valueOf(failure.getMessage());
    String why = root(failure).getMessage();
    return why == null || what.contains(why) ? what : what + ": " + why;
  }

  /// Whether it is about who trusts whom, and not about what is said.
  static boolean isAboutTrust(SSLException failure) {
    return failure instanceof SSLHandshakeException
        || root(failure) instanceof InvalidAlgorithmParameterException; // trusted are none
  }

  private static Throwable root(Throwable failure) {
    Throwable cause = failure.getCause();
    return cause == null ? failure : root(cause);
  }

  @Override
  public SocketChannel channel() {
    return channel;
  }

  @Override
  public int read(ByteBuffer to) throws IOException {
    emptyRecordsLeft = MOST_EMPTY_RECORDS;
    int start = to.position();
    while (to.hasRemaining()) {
      if (plain.hasRemaining()) {
        moveSome(plain, to);
      } else if (ended || !shakeHands() || !decrypt(to)) {
        break;
      }
    }
    int count = to.position() - start;
    return count == 0 && ended ? -1 : count;
  }

  private static void moveSome(ByteBuffer from, ByteBuffer to) {
    int count = Math.min(from.remaining(), to.remaining());
    to.put(to.position(), from, from.position(), count);
    to.position(to.position() + count);
    from.position(from.position() + count);
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    emptyRecordsLeft = MOST_EMPTY_RECORDS;
    int start = from.position();
    while (shakeHands() && flushed() && from.hasRemaining()) {
      if (encrypt(from) == SSLEngineResult.Status.CLOSED) {
        throw new SSLException("the peer has closed");
      }
    }
    return from.position() - start;
  }

  @Override
  public void flush() throws IOException {
    emptyRecordsLeft = MOST_EMPTY_RECORDS;
    boolean _ = shakeHands() && flushed();
  }

  @Override
  public boolean isPending() {
    return outgoing.hasRemaining();
  }

  @Override
  public boolean hasMore() {
    return plain.hasRemaining() || !starved;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void endOutput() throws IOException {
    engine.closeOutbound();
    farewell();
    channel.shutdownOutput();
  }

  @Override
  public @Nullable Principal peer() {
    try {
      return engine.getSession().getPeerPrincipal();
    } catch (SSLPeerUnverifiedException e) {
      return null;
    }
  }

  /// Goes on with the handshake, or with what TLS has to say later; returns whether messages can be
  /// moved.
  private boolean shakeHands() throws IOException {
    while (true) {
      switch (engine.getHandshakeStatus()) {
        case FINISHED, NOT_HANDSHAKING -> {
          if (!open) {
            refuseResumed();
            growTo(2 * packetBytes);
            open = true;
          }
          return true;
        }
        case NEED_TASK -> {
          for (Runnable task = engine.getDelegatedTask();
              task != null;
              task = engine.getDelegatedTask()) {
            task.run();
          }
          if (!open) {
            keepFromResuming();
          }
        }
        case NEED_WRAP -> {
          if (!flushed()) {
            return open; // what a full socket holds up does not hold up reading
          }
          if (encrypt(NOTHING) == SSLEngineResult.Status.CLOSED) {
            return open;
          }
        }
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
          if (open) {
            return true; // that is what reading does
          }
          if (!flushed() || ended || !decrypt(NOTHING)) {
            return false;
          }
        }
      }
    }
  }

  /// Makes the session that is being agreed upon one of this connection alone.
  private void keepFromResuming() {
    SSLSession session = engine.getHandshakeSession();
    if (session != null) {
      session.invalidate();
    }
  }

  /// The context may have other users, whose sessions are resumed.
  private void refuseResumed() throws SSLException {
    if (engine.getSession().getCreationTime() < begunMillis) {
      throw failed(new SSLHandshakeException("it resumes a session, and shows no certificate"));
    }
  }

  /// Takes one record from the socket; returns false if there is none, or this call has had its
  /// share.
  private boolean decrypt(ByteBuffer to) throws IOException {
    if (emptyRecordsLeft == 0 || (starved && !fill())) {
      return false; // the engine is not asked in vain: each answer is an object
    }
    if (ended) {
      return true;
    }
    boolean direct = to.remaining() >= engine.getSession().getApplicationBufferSize();
    ByteBuffer target = direct ? to : plain.clear();
    SSLEngineResult result;
    try {
      result = engine.unwrap(incoming, target);
    } catch (SSLException | RuntimeException e) {
      throw failed(e);
    } finally {
      if (!direct) {
        plain.flip();
      }
    }
    SSLEngineResult.Status status = result.getStatus();
    starved = !incoming.hasRemaining() || status == SSLEngineResult.Status.BUFFER_UNDERFLOW;
    if (result.bytesConsumed() > 0 && result.bytesProduced() == 0) {
      emptyRecordsLeft--;
      if (outgoing.hasRemaining() && ++unanswered > MOST_UNANSWERED) {
        throw failed(new SSLException("the peer asks for more than it reads"));
      }
    }
    return switch (status) {
      case OK -> !open || result.bytesConsumed() > 0;
      case BUFFER_UNDERFLOW -> true;
      case BUFFER_OVERFLOW -> {
        requireRecord(plain);
        int least = engine.getSession().getApplicationBufferSize();
        plain = ByteBuffer.allocate(Math.max(least, 2 * plain.capacity())).flip();
        yield true;
      }
      case CLOSED -> {
        ended = true;
        yield true;
      }
    };
  }

  /// Reads from the socket; returns whether there is something new to look at.
  private boolean fill() throws IOException {
    incoming.compact();
    try {
      if (!incoming.hasRemaining()) {
        requireRecord(incoming);
        incoming.flip();
        growTo(2 * Math.max(packetBytes, incoming.capacity()));
        incoming.compact();
      }
      int count = channel.read(incoming);
      ended = count < 0;
      return count != 0;
    } finally {
      incoming.flip();
    }
  }

  private void growTo(int bytes) {
    if (incoming.capacity() < bytes) {
      incoming = ByteBuffer.allocateDirect(bytes).put(incoming).flip();
    }
  }

  /// Makes one record; nothing else is pending.
  private SSLEngineResult.Status encrypt(ByteBuffer from) throws IOException {
    while (true) {
      SSLEngineResult.Status status;
      outgoing.clear();
      try {
        status = engine.wrap(from, outgoing).getStatus();
      } catch (SSLException | RuntimeException e) {
        outgoing.flip();
        throw failed(e);
      }
      outgoing.flip();
      if (status != SSLEngineResult.Status.BUFFER_OVERFLOW) {
        unanswered = Math.max(0, unanswered - 1);
        return status;
      }
      requireRecord(outgoing);
      outgoing = ByteBuffer.allocateDirect(Math.max(packetBytes, 2 * outgoing.capacity())).flip();
    }
  }

  private boolean flushed() throws IOException {
    if (outgoing.hasRemaining()) {
      channel.write(outgoing);
    }
    return !outgoing.hasRemaining();
  }

  /// Refuses to make a buffer larger for a record that is longer than any.
  private static void requireRecord(ByteBuffer buffer) throws SSLException {
    if (buffer.capacity() > MOST_RECORD_BYTES) {
      throw new SSLException("a record of more than %d bytes".formatted(buffer.capacity()));
    }
  }

  /// The end of it, of which the peer hears once.
  private SSLException failed(Exception cause) {
    if (!failed) {
      failed = true;
      farewell();
    }
    return cause instanceof SSLException known
        ? known
        : new SSLException("the peer does not keep to TLS: " + cause.getMessage(), cause);
  }

  /// Tells the peer why this is the end, as far as there is room for it.
  private void farewell() {
    try {
      while (flushed()
          && engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_WRAP
          && encrypt(NOTHING) == SSLEngineResult.Status.OK) {
        // until all is said
      }
      boolean _ = flushed();
    } catch (IOException goneAlready) {
      // it need not be told
    }
  }
}
