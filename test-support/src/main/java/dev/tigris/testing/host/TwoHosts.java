package dev.tigris.testing.host;

import dev.tigris.testing.process.Command;

/// Two hosts on this machine: network namespaces with a cable between them, which is a pair of
/// Ethernet interfaces. Needs root and iproute2.
///
/// ```text
///   near: eth0 10.213.71.1/24  ----------  eth0 10.213.71.2/24 :far
/// ```
public final class TwoHosts implements AutoCloseable {
  private static final int PREFIX_BITS = 24;

  private final Host near;
  private final Host far;

  private TwoHosts(Host near, Host far) {
    this.near = near;
    this.far = far;
  }

  /// One of the two.
  ///
  /// @param name of its namespace
  /// @param address of its end of the cable
  public record Host(String name, String address) {
    /// Returns a command that runs on this host.
    public Command on(Command command) {
      return command.behind("ip", "netns", "exec", name);
    }

    /// Pulls its end of the cable.
    public void pullCable() {
      String _ = Command.of("ip", "-n", name, "link", "set", "eth0", "down").output();
    }

    /// Puts its end of the cable in again.
    public void plugCable() {
      String _ = Command.of("ip", "-n", name, "link", "set", "eth0", "up").output();
    }

    /// Makes the cable carry nothing from this end, and still all from the other one.
    public void beMute() {
      queue(0);
    }

    /// Makes the cable carry what this end sends again.
    public void speakAgain() {
      queue(1000);
    }

    private void queue(int mostPackets) {
      run("tc -n %s qdisc replace dev eth0 root pfifo limit %d".formatted(name, mostPackets));
    }
  }

  /// Makes them.
  ///
  /// @param discipline how either end sends, as `tc qdisc` has it: `tbf rate 200mbit burst 64kb
  ///     latency 50ms` is a slow cable, `netem delay 10ms loss 1%` a long one that loses
  public static TwoHosts connectedBy(String discipline) {
    Needs.root("a network namespace");
    Needs.program("ip", "iproute2");
    Needs.program("tc", "iproute2");
    long self = ProcessHandle.current().pid();
    TwoHosts hosts =
        new TwoHosts(
            new Host("tigris-near-" + self, "10.213.71.1"),
            new Host("tigris-far-" + self, "10.213.71.2"));
    try {
      hosts.configure(discipline);
      return hosts;
    } catch (Throwable e) {
      hosts.close();
      throw e;
    }
  }

  private void configure(String discipline) {
    Needs.command("network namespaces cannot be made here", command("ip netns add " + near.name));
    run("ip netns add " + far.name);
    run(
        "ip link add eth0 netns %s type veth peer name eth0 netns %s"
            .formatted(near.name, far.name));
    for (Host host : new Host[] {near, far}) {
      run("ip -n %s addr add %s/%d dev eth0".formatted(host.name, host.address, PREFIX_BITS));
      run("ip -n %s link set lo up".formatted(host.name));
      run("ip -n %s link set eth0 up".formatted(host.name));
      run("tc -n %s qdisc add dev eth0 root %s".formatted(host.name, discipline));
    }
  }

  private static void run(String line) {
    String _ = command(line).output();
  }

  private static Command command(String line) {
    return Command.of(line.split(" ", -1));
  }

  /// Returns the one host.
  public Host near() {
    return near;
  }

  /// Returns the other.
  public Host far() {
    return far;
  }

  @Override
  public void close() {
    for (Host host : new Host[] {near, far}) {
      boolean _ = Command.of("ip", "netns", "del", host.name).succeeds();
    }
  }
}
