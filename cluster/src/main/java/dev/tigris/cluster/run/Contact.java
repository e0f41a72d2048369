package dev.tigris.cluster.run;

import dev.tigris.cluster.run.host.HostKey;
import dev.tigris.cluster.run.host.RunKey;
import dev.tigris.cluster.run.protocol.Limits;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// How a worker reaches the coordinator of its run and other workers: the file `control` of the
/// run's folder.
///
/// @param network what carries messages and streams
/// @param address where the coordinator's link listens
/// @param token which lets workers in
/// @param streams the number of the run that its streams carry, which only its processes know
/// @param limits the times and counts that all processes share
/// @param code the program's jars and folders, whose contents are compared; empty on one host
/// @param shipped the program's class, if an engine has brought its code here; empty otherwise
record Contact(
    Network network,
    String address,
    long token,
    long streams,
    Limits limits,
    List<Path> code,
    String shipped) {
  /// The host and port of a coordinator's link on several hosts.
  static final String ADDRESS = "address";

  /// The facts that the coordinator of a run on several hosts tells.
  static final Set<String> TOLD = Set.of("run", ADDRESS, "token", "streams", "limits");

  /// The file of the key of a host.
  static final String KEY = "key";

  private static final String BOUND = "bound";
  private static final String NAME = "name";
  private static final String CODE = "code";
  /// The name of the program's class, of which a worker's engine has brought the code.
  static final String SHIPPED = "shipped";

  private static final String PROVIDER = "provider";

  Contact {
    code = List.copyOf(code);
  }

  Contact(
      Network network, String address, long token, long streams, Limits limits, List<Path> code) {
    this(network, address, token, streams, limits, code, "");
  }

  /// Returns the facts for the file. Those of a host are added by its worker.
  Map<String, String> facts() {
    Map<String, String> facts = new TreeMap<>();
    facts.put(ADDRESS, address);
    facts.put("token", Long.toHexString(token));
    facts.put("streams", Long.toHexString(streams));
    facts.put(
        "limits",
        "%d %d %d %d %d %d"
            .formatted(
                limits.workers(),
                limits.attempts(),
                limits.beatNanos(),
                limits.hangNanos(),
                limits.fenceNanos(),
                limits.joinNanos()));
    if (network instanceof Network.OneHost(String provider)) {
      facts.put(PROVIDER, provider);
    } else if (network instanceof Network.Engine its) {
      facts.put(Network.Engine.BOUND, Network.Hosts.ANY + ":0");
      if (its.key() != null) {
        facts.put(Network.Engine.KEY, Base64.getEncoder().encodeToString(its.key().bytes()));
      }
    }
    return facts;
  }

  /// Returns the facts that the worker of a host adds.
  static Map<String, String> ofHost(HostKey key, String bound, String name, List<Path> code) {
    List<String> entries = code.stream().map(Path::toString).toList();
    return Map.of(
        KEY,
        key.file().toString(),
        BOUND,
        bound,
        NAME,
        name,
        CODE,
        String.join(File.pathSeparator, entries));
  }

  /// Reads the facts.
  ///
  /// @throws IOException if one is missing, or the key cannot be read
  static Contact of(Map<String, String> facts) throws IOException {
    String key = facts.get(KEY);
    List<Path> code = List.of();
    Network network;
    String bound = facts.get(Network.Engine.BOUND);
    if (bound != null) {
      String run = facts.get(Network.Engine.KEY);
      network =
          new Network.Engine(
              bound,
              need(facts, Network.Engine.NAME),
              run == null ? null : RunKey.of(Base64.getDecoder().decode(run)));
    } else if (key == null) {
      network = new Network.OneHost(need(facts, PROVIDER));
    } else {
      network =
          new Network.Hosts(HostKey.load(Path.of(key)), need(facts, BOUND), need(facts, NAME));
      code =
          Arrays.stream(need(facts, CODE).split(File.pathSeparator, -1))
              .filter(each -> !each.isEmpty())
              .map(Path::of)
              .toList();
    }
    return new Contact(
        network,
        need(facts, ADDRESS),
        Long.parseUnsignedLong(need(facts, "token"), 16),
        Long.parseUnsignedLong(need(facts, "streams"), 16),
        limits(need(facts, "limits")),
        code,
        facts.getOrDefault(SHIPPED, ""));
  }

  static String need(Map<String, String> facts, String name) throws IOException {
    String value = facts.get(name);
    if (value == null) {
      throw new IOException("the run's folder does not tell the " + name);
    }
    return value;
  }

  private static Limits limits(String text) {
    long[] numbers = Arrays.stream(text.split(" ", -1)).mapToLong(Long::parseLong).toArray();
    return new Limits(
        (int) numbers[0], (int) numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
  }

  /// Returns the fingerprint of the code of this process.
  Fingerprint fingerprint() throws IOException, ClassNotFoundException {
    if (!shipped.isEmpty()) {
      return Fingerprint.ofShipped(Programs.load(shipped));
    }
    return network instanceof Network.Hosts
        ? Fingerprint.ofContent(code)
        : Fingerprint.ofCode(CodePath.ofThisProcess());
  }
}
