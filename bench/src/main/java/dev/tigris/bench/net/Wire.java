package dev.tigris.bench.net;

import dev.tigris.bench.Bar;
import dev.tigris.bench.c.CProgram;
import dev.tigris.bench.c.CTwin;
import dev.tigris.bench.c.CalledInterface;
import dev.tigris.bench.objects.ListCodec;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A provider as it is measured: itself and its twin in C.
///
/// @param name of its figures, after `net.`
/// @param provider to be opened
/// @param address to listen at; `%s` is the IP address of the place
/// @param onNetwork whether it uses IP, and wants a network namespace for that
/// @param takesArrays whether it registers arrays on the heap as it does buffers
/// @param source the twin's, beside `net.c`
/// @param linked what the twin is linked with, and how
record Wire(
    String name,
    String provider,
    String address,
    boolean onNetwork,
    boolean takesArrays,
    String source,
    Linked linked) {
  static final String TIGRIS = Bar.TIGRIS;

  private static final List<String> HEADERS =
      List.of("net.h", "net_listen.h", "net_socket.h", "net_connected.h", "net_datagrams.h");

  /// What a twin needs besides `net.c`.
  ///
  /// @param flags for the compiler and the linker
  /// @param environment variables that keep it from taking signal handlers from a JVM
  /// @param header that is there if the package is
  /// @param fromPackage the Debian package
  record Linked(List<String> flags, List<String> environment, String header, String fromPackage) {
    static final Linked NOTHING = new Linked(List.of(), List.of(), "/usr/include", "libc6-dev");
    static final Linked LIBFABRIC = libfabric("-lfabric");
    static final Linked LIBFABRIC_RDM = libfabric("-DDATAGRAMS", "-lfabric");

    private static Linked libfabric(String... flags) {
      return new Linked(
          List.of(flags),
          List.of("IPATH_NO_BACKTRACE=1", "HFI_NO_BACKTRACE=1"),
          "/usr/include/rdma/fabric.h",
          "libfabric-dev");
    }
  }

  /// Shared memory.
  static Wire shm() {
    return new Wire("shm", "shm", "*", false, true, "net_shm.c", Linked.NOTHING);
  }

  /// libfabric's connected endpoints, over its own tcp where there is no other network.
  static Wire libfabric() {
    return new Wire(
        "libfabric", "libfabric", "%s:0", true, false, "net_libfabric.c", Linked.LIBFABRIC);
  }

  /// Connections over libfabric's reliable datagrams.
  static Wire libfabricRdm() {
    String name = "libfabric-rdm";
    return new Wire(name, name, "%s:0", true, false, "net_libfabric.c", Linked.LIBFABRIC_RDM);
  }

  /// TCP through NIO.
  static Wire tcp() {
    return new Wire("tcp", "tcp", "%s:0", true, true, "net_tcp.c", Linked.NOTHING);
  }

  /// TCP through io_uring.
  static Wire uring() {
    return new Wire("uring", "uring", "%s:0", true, false, "net_uring.c", Linked.NOTHING);
  }

  /// Why the provider cannot be measured here; empty if it can.
  Optional<String> obstacle() {
    try {
      Fabric.open(provider).close();
      return Optional.empty();
    } catch (NetException | IllegalArgumentException e) { // it cannot be used, or is not there
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /// The provider itself.
  Contestant subject() {
    return subject(Messages.Kind.BUFFERS);
  }

  /// Active messages over the provider.
  Contestant messages() {
    return java("active messages", Transports.messages(provider));
  }

  /// A stream between two processes, over the provider.
  Contestant streams() {
    return java("streams", Transports.streams(provider));
  }

  /// The provider, with messages that lie elsewhere: for those that can have them there.
  Contestant subject(Messages.Kind kind) {
    return java(TIGRIS, Transports.tigris(kind, provider));
  }

  /// The provider, with a thread of the kernel that takes its operations: for `uring`.
  Contestant polled() {
    return java(TIGRIS, overBuffers(), "-Dtigris.net.uring.sqpoll=true");
  }

  /// The provider as it is, as a rival of [#polled].
  Contestant unpolled() {
    return java("without SQPOLL", overBuffers());
  }

  private String overBuffers() {
    return Transports.tigris(Messages.Kind.BUFFERS, provider);
  }

  /// Its level I without a copy in between: for those that take arrays.
  Contestant pinned() {
    return java("arrays, registered", Transports.tigris(Messages.Kind.ARRAYS, provider));
  }

  /// Its level I.
  Contestant arrays(ArrayTransport.Kind kind) {
    return java("arrays, " + kind, Transports.arrays(kind, provider));
  }

  /// Lists of objects over it.
  Contestant lists(ListCodec.Kind kind) {
    return java(kind.title(), Transports.lists(kind, provider));
  }

  private Contestant java(String title, String transport, String... flags) {
    return new Contestant(
        title,
        Optional.empty(),
        Contestant.Manner.STANDING,
        place -> ProcessPair.start(title, Transports.command(transport, flags), at(place), place));
  }

  /// Where it is measured.
  ///
  /// @param folder for the files of its processes
  Place place(Path folder) throws IOException, InterruptedException {
    return onNetwork ? Place.loopback(folder) : Place.host(folder);
  }

  /// The twin.
  Contestant twin() {
    return twin(List.of(), List.of());
  }

  /// The twin whose messages are left where they have arrived.
  Contestant twinInPlace() {
    return twin(List.of(), List.of("in-place"));
  }

  /// The twin of [#polled].
  Contestant twinPolled() {
    return twin(List.of("env", "TWIN_SQPOLL=1"), List.of());
  }

  private Contestant twin(List<String> before, List<String> options) {
    return new Contestant(
        Bar.C_TWIN,
        twinIsMissing(),
        Contestant.Manner.STANDING,
        place -> startTwin(before, options, place));
  }

  private Exchange startTwin(List<String> before, List<String> options, Place place)
      throws IOException {
    CProgram program = compileTwin(place.folder());
    List<String> command = new ArrayList<>(before);
    command.add(program.file().toString());
    command.addAll(options);
    return ProcessPair.start(Bar.C_TWIN, command, at(place), place).andThen(program);
  }

  /// The twin as a program.
  CProgram compileTwin(Path folder) throws IOException {
    return compile(folder, "net.c", "-pthread");
  }

  /// The twin as functions, which a program in Java calls.
  Contestant called(CalledTransport.Kind kind) {
    String title = "calls, " + kind;
    return new Contestant(
        title,
        twinIsMissing(),
        Contestant.Manner.STANDING,
        place -> startCalled(title, kind, place));
  }

  private Exchange startCalled(String title, CalledTransport.Kind kind, Place place)
      throws IOException {
    CProgram library = compile(place.folder(), CalledInterface.SOURCE, "-fPIC", "-shared");
    List<String> command = new ArrayList<>();
    if (!linked.environment().isEmpty()) {
      command.add("env");
      command.addAll(linked.environment());
    }
    command.addAll(Transports.command(Transports.called(kind, library.file())));
    return ProcessPair.start(title, command, at(place), place).andThen(library);
  }

  /// @param user the source of what uses the interface
  private CProgram compile(Path folder, String user, String... flags) throws IOException {
    List<String> all = new ArrayList<>(List.of(flags));
    all.addAll(linked.flags());
    List<String> sources = new ArrayList<>(HEADERS);
    sources.addAll(List.of(user, source));
    return CProgram.compile(folder, sources, all);
  }

  private Optional<String> twinIsMissing() {
    return CTwin.obstacle()
        .or(
            () ->
                Files.exists(Path.of(linked.header()))
                    ? Optional.empty()
                    : Optional.of("headers are missing: install " + linked.fromPackage()));
  }

  private String at(Place place) {
    return address.formatted(place.address());
  }
}
