package dev.tigris.bench;

import java.util.function.DoubleBinaryOperator;

/// The measurements of one process. The i-th subject and the i-th peer were taken directly after
/// one another, in alternating order, so that a disturbance of the machine disturbs both.
public final class Pairs {
  private final double[] subjects;
  private final double[] peers;

  /// Refuses an empty or lopsided measurement.
  public Pairs(double[] subjects, double[] peers) {
    if (subjects.length == 0 || subjects.length != peers.length) {
      throw new IllegalArgumentException(
          "pairs need as many subjects as peers, at least one, not %d and %d"
              .formatted(subjects.length, peers.length));
    }
    this.subjects = subjects.clone();
    this.peers = peers.clone();
  }

  /// The number of pairs.
  public int count() {
    return subjects.length;
  }

  /// The i-th measurement of the subject.
  public double subject(int index) {
    return subjects[index];
  }

  /// The i-th measurement of the peer.
  public double peer(int index) {
    return peers[index];
  }

  /// Returns pairs computed from these, each from its subject and its peer.
  public Pairs map(DoubleBinaryOperator subject, DoubleBinaryOperator peer) {
    double[] mapped = new double[subjects.length];
    double[] mappedPeers = new double[subjects.length];
    for (int i = 0; i < mapped.length; i++) {
      mapped[i] = subject.applyAsDouble(subjects[i], peers[i]);
      mappedPeers[i] = peer.applyAsDouble(subjects[i], peers[i]);
    }
    return new Pairs(mapped, mappedPeers);
  }

  /// The median of the peer's measurements.
  public double medianPeer() {
    return Estimate.median(peers);
  }

  /// The median of the subject's measurements.
  public double medianSubject() {
    return Estimate.median(subjects);
  }
}
