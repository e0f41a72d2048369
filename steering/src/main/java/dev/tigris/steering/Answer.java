package dev.tigris.steering;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An answer of the control API.
///
/// @param status the status of HTTP
/// @param type the type of the body
/// @param body the body
record Answer(int status, String type, String body) {
  static final String JSON = "application/json";
  static final int OK = 200;
  static final int ACCEPTED = 202;
  static final int WRONG = 400;
  static final int UNKNOWN_CLIENT = 401;
  static final int FORBIDDEN = 403;
  static final int NOT_FOUND = 404;
  static final int WRONG_METHOD = 405;
  static final int CONFLICT = 409;
  static final int TOO_LARGE = 413;
  static final int WRONG_TYPE = 415;
  static final int NOT_NOW = 503;

  static Answer json(int status, Map<String, ? extends @Nullable Object> members) {
    return new Answer(status, JSON, Json.text(members));
  }

  /// Returns a refusal.
  static Answer refusal(int status, String why) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("status", status);
    members.put("error", why);
    return json(status, members);
  }
}
