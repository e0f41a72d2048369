package dev.tigris.steering;

import org.jspecify.annotations.Nullable;

/// What a client asks of the control API.
///
/// @param method `GET` or `POST`
/// @param path without the query
/// @param query behind the `?`; empty if there is none
/// @param host the header `Host`
/// @param origin the header `Origin`, which browsers send; null if there is none
/// @param authorization the header `Authorization`; null if there is none
/// @param type the header `Content-Type`; null if there is none
/// @param body what the client has sent
/// @param hasKey whether it has shown the key of a coordinator, over TLS
record Call(
    String method,
    String path,
    String query,
    @Nullable String host,
    @Nullable String origin,
    @Nullable String authorization,
    @Nullable String type,
    String body,
    boolean hasKey) {
  /// A call of a client without a key.
  Call(
      String method,
      String path,
      String query,
      @Nullable String host,
      @Nullable String origin,
      @Nullable String authorization,
      @Nullable String type,
      String body) {
    this(method, path, query, host, origin, authorization, type, body, false);
  }
}
