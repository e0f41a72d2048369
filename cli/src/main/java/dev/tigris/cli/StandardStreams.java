package dev.tigris.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;

/// The standard input and output of the process for data, without buffers. They are channels, which
/// an interrupt closes: so a signal ends a command that waits for data, or for a reader.
final class StandardStreams {
  private StandardStreams() {}

  static InputStream in() {
    return Channels.newInputStream(new FileInputStream(FileDescriptor.in).getChannel());
  }

  static OutputStream out() {
    return Channels.newOutputStream(new FileOutputStream(FileDescriptor.out).getChannel());
  }
}
