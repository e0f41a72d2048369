package dev.tigris.bench.net;

import dev.tigris.bench.objects.ListCodec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The transports in Java, by the name that a [WorkerMain] is given: `KIND:VARIANT:PROVIDER`, as
/// far as it has these. For the twin's functions, their library stands for the provider.
final class Transports {
  static final String AERON = "aeron";
  static final String AERON_WHOLE = "aeron-whole";

  private static final String BUFFERS = "buffers";
  private static final String ARRAYS = "arrays";
  private static final String CALLED = "called";
  private static final String LISTS = "lists";
  private static final String MESSAGES = "messages";
  private static final String NETTY = "netty";
  private static final String STREAMS = "streams";

  private Transports() {}

  /// The command of a process, without its last two arguments. The property
  /// `tigris.bench.workerOptions` adds options for the JVM of each: the tests, which start hundreds
  /// that live for a second, ask for the compiler and the collector that start soonest.
  ///
  /// @param flags for its JVM
  static List<String> command(String name, String... flags) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.add("--enable-native-access=ALL-UNNAMED");
    words.addAll(List.of(flags));
    String options = System.getProperty("tigris.bench.workerOptions", "");
    words.addAll(List.of(options.isBlank() ? new String[0] : options.strip().split(" +", -1)));
    words.add("-cp");
    words.add(System.getProperty("java.class.path"));
    words.add(WorkerMain.class.getName());
    words.add(name);
    return words;
  }

  static String tigris(Messages.Kind kind, String provider) {
    return BUFFERS + ":" + kind + ":" + provider;
  }

  static String arrays(ArrayTransport.Kind kind, String provider) {
    return ARRAYS + ":" + kind + ":" + provider;
  }

  static String called(CalledTransport.Kind kind, Path library) {
    return CALLED + ":" + kind + ":" + library;
  }

  static String lists(ListCodec.Kind kind, String provider) {
    return LISTS + ":" + kind + ":" + provider;
  }

  static String messages(String provider) {
    return MESSAGES + ":" + provider;
  }

  static String streams(String provider) {
    return STREAMS + ":" + provider;
  }

  static String netty(NettyKind kind) {
    return NETTY + ":" + kind;
  }

  static Transport named(String name) {
    String[] words = name.split(":", 3); // the folder of a library may have a colon in its name
    return switch (words[0]) {
      case BUFFERS -> new TigrisTransport(words[2], Messages.Kind.valueOf(words[1]));
      case ARRAYS -> new ArrayTransport(words[2], ArrayTransport.Kind.valueOf(words[1]));
      case CALLED -> new CalledTransport(CalledTransport.Kind.valueOf(words[1]), Path.of(words[2]));
      case LISTS -> new ObjectTransport(words[2], ListCodec.Kind.valueOf(words[1]));
      case MESSAGES -> new MessageTransport(words[1]);
      case STREAMS -> new StreamTransport(words[1]);
      case NETTY -> new NettyTransport(NettyKind.valueOf(words[1]));
      case AERON -> new AeronTransport(false);
      case AERON_WHOLE -> new AeronTransport(true);
      default -> throw new IllegalArgumentException("there is no transport " + name);
    };
  }
}
