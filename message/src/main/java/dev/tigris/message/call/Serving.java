package dev.tigris.message.call;

import org.jspecify.annotations.Nullable;

/// Whether a service serves, with the numbers of gRPC's health service.
public enum Serving {
  /// That is not known yet.
  UNKNOWN,
  /// It serves.
  SERVING,
  /// It does not serve at present, or the server is leaving.
  NOT_SERVING,
  /// The server has no such service.
  SERVICE_UNKNOWN;

  private static final Serving[] ALL = values();

  /// Returns its number, as in gRPC.
  @SuppressWarnings("EnumOrdinal") // the order is that of the numbers
  public int code() {
    return ordinal();
  }

  /// Returns the one of a number; null if there is none.
  public static @Nullable Serving of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : null;
  }
}
