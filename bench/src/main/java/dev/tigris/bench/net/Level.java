package dev.tigris.bench.net;

import java.util.List;
import java.util.Locale;

/// A row of the papers' tables of Javia and JaguarVIA, and what stands in it: the papers' own
/// numbers beside ours, *then and now*.
enum Level {
  /// The interface from C: the peer of all others. It has no figures but those the papers have.
  RAW(
      "the twin in C",
      List.of(
          new Then(Then.JAVIA, Then.What.ROUND_TRIP, 16_500, ""),
          new Then(Then.JAVIA, Then.What.BYTE, 25, ""),
          new Then(Then.THESIS, Then.What.ROUND_TRIP, 70_000, "JaguarVIA the same"),
          new Then(Then.JAGUAR, Then.What.ROUND_TRIP, 80_000, "JaguarVIA the same"))),

  /// Registered buffers.
  BUFFER(
      "level II, registered buffers",
      List.of(
          new Then(Then.JAVIA, Then.What.ROUND_TRIP, 20_500, ""),
          new Then(Then.JAVIA, Then.What.BYTE, 25, ""),
          new Then(Then.JAVIA, Then.What.ONE_WAY, 0.98, "97 to 99 %"),
          new Then(Then.THESIS, Then.What.ONE_WAY, 0.99, "at 488 Mbit/s"),
          new Then(Then.JAGUAR, Then.What.ONE_WAY, 1, "at 480 Mbit/s"))),

  /// Arrays on the heap that are registered as buffers are.
  PIN(
      "level I, arrays registered",
      List.of(
          new Then(Then.JAVIA, Then.What.ROUND_TRIP, 38_000, "pinned to be sent"),
          new Then(Then.JAVIA, Then.What.BYTE, 38, "pinned to be sent"),
          new Then(Then.JAVIA, Then.What.ONE_WAY, 0.85, "from 6 KB on"))),

  /// Arrays that are copied, and received into posted ones.
  COPY(
      "level I, asynchronous",
      List.of(
          new Then(Then.JAVIA, Then.What.ROUND_TRIP, 21_500, ""),
          new Then(Then.JAVIA, Then.What.BYTE, 42, ""),
          new Then(Then.JAVIA, Then.What.ONE_WAY, 0.725, "70 to 75 %"))),

  /// Arrays that are copied, and received by blocking, each into a new one.
  ALLOC(
      "level I, blocking receives",
      List.of(new Then(Then.JAVIA, Then.What.ROUND_TRIP, 18_000, "a byte: more than 42 ns"))),

  /// The twin's functions, called from Java.
  CALLS(
      "the twin in C, 4 foreign calls a round trip and one for each poll in vain",
      List.of(
          new Then(Then.JNI, Then.What.ONE_WAY, 28.55 / 480, "estimated, with a copy"),
          new Then(
              Then.JNI, Then.What.ONE_WAY, 187.0 / 480, "estimated, if all of it cost a tenth"))),

  /// As [#CALLS], and a call for every access to a descriptor or a message.
  ACCESSES("the twin in C, 13 foreign calls a round trip and one for each poll in vain", List.of());

  private final String words;

  @SuppressWarnings("ImmutableEnumChecker") // all of them are List.of
  private final List<Then> thens;

  Level(String words, List<Then> thens) {
    this.words = words;
    this.thens = thens;
  }

  /// What it is.
  String words() {
    return words;
  }

  /// What the papers have.
  List<Then> thens() {
    return thens;
  }

  /// The beginning of its figures' names.
  String figure(String group) {
    return group + "." + name().toLowerCase(Locale.ROOT);
  }

  Contestant on(Wire wire) {
    return switch (this) {
      case RAW -> wire.twin();
      case BUFFER -> wire.subject();
      case PIN -> wire.pinned();
      case COPY -> wire.arrays(ArrayTransport.Kind.POSTED);
      case ALLOC -> wire.arrays(ArrayTransport.Kind.BLOCKING);
      case CALLS -> wire.called(CalledTransport.Kind.FUNCTIONS);
      case ACCESSES -> wire.called(CalledTransport.Kind.ACCESSES);
    };
  }

  /// A number in a paper.
  ///
  /// @param source as it stands in the results
  /// @param value in nanoseconds, or as a share of what C reached there
  /// @param note what a reader must know besides; empty if nothing
  record Then(String source, What what, double value, String note) {
    /// Chang and von Eicken, *Interfacing Java with the Virtual Interface Architecture*, tables 1
    /// and 2, figures 3 and 6; and the same again in Chang, *Safe and Explicit Memory Management*,
    /// table 3.2: two Pentium II of 450 MHz, Giganet cards of 1.25 Gbit/s.
    static final String JAVIA = "Javia, 1999";

    /// Welsh, *A System Supporting High-Performance Communication and I/O in Java*, figure 6.
    static final String THESIS = "JaguarVIA, 1999";

    /// Welsh, *Safe and Efficient Hardware Specialization of Java Applications*, figure 4: two
    /// Pentium III of 500 MHz, a Myrinet card.
    static final String JAGUAR = "JaguarVIA, 2000";

    /// The same figure's estimate of calls by JNI, as a share of what JaguarVIA reached.
    static final String JNI = "JNI, 2000";

    /// What it is a number of.
    enum What {
      /// A round trip of 4 bytes, in nanoseconds.
      ROUND_TRIP,
      /// What each further byte costs, in nanoseconds.
      BYTE,
      /// The bandwidth of long messages, as a share of that of C.
      ONE_WAY
    }
  }
}
