package dev.tigris.steering;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Lets calls of a control API in, or refuses them, and reads their bodies.
///
/// A call has to come with the token of the run, and name this server as its host, or over TLS from
/// the owner of a key. A page in a browser, which sends its origin, is refused: it might be a
/// stranger's.
///
/// Thread rule: any thread.
final class Door {
  /// A body that is longer is refused.
  static final int MOST_BODY_BYTES = 1 << 16;

  private static final String CHANGES = "/api/v1/changes/";
  private static final String BEARER = "Bearer ";
  private static final String GET = "GET";
  private static final String POST = "POST";

  private final byte[] token;
  private final Changes changes;
  private volatile String authority = "";

  /// @param token lets clients in
  Door(String token, Changes changes) {
    this.token = token.getBytes(StandardCharsets.UTF_8);
    this.changes = changes;
  }

  /// Says at which `HOST:PORT` the server listens.
  void at(String hostAndPort) {
    authority = hostAndPort;
  }

  Changes changes() {
    return changes;
  }

  /// Answers a call: refuses it, or answers what is the same for all APIs, or has it answered.
  ///
  /// @param api answers its own calls, and returns null for others
  Answer answer(Call call, Function<Call, @Nullable Answer> api) {
    Answer refusal = refusal(call);
    if (refusal != null) {
      return refusal;
    }
    return switch (call.path()) {
      case "/livez" -> get(call, () -> plain(Answer.OK, "ok\n"));
      case "/api/openapi.json" -> get(call, Door::description);
      default -> {
        if (call.path().startsWith(CHANGES)) {
          yield get(call, () -> changes.find(call.path().substring(CHANGES.length())));
        }
        Answer answer = api.apply(call);
        yield answer == null ? nothingHere() : answer;
      }
    };
  }

  /// Returns why a call is not let in; null if it is.
  private @Nullable Answer refusal(Call call) {
    if (!call.hasKey() && !authority.equalsIgnoreCase(call.host())) {
      return Answer.refusal(Answer.FORBIDDEN, "this server is %s".formatted(authority));
    }
    if (call.origin() != null) {
      return Answer.refusal(Answer.FORBIDDEN, "pages of browsers are not let in");
    }
    boolean isProbe = call.path().equals("/livez") || call.path().equals("/readyz");
    if (!isProbe && !call.hasKey() && !hasToken(call.authorization())) {
      return Answer.refusal(
          Answer.UNKNOWN_CLIENT, "send 'Authorization: Bearer TOKEN' with the token of the run");
    }
    if (call.body().length() > MOST_BODY_BYTES) {
      return Answer.refusal(
          Answer.TOO_LARGE, "a body has %,d bytes at most".formatted(MOST_BODY_BYTES));
    }
    return null;
  }

  private boolean hasToken(@Nullable String authorization) {
    return authorization != null
        && authorization.startsWith(BEARER)
        && MessageDigest.isEqual(
            authorization.substring(BEARER.length()).getBytes(StandardCharsets.UTF_8), token);
  }

  static Answer get(Call call, Supplier<Answer> answer) {
    return call.method().equals(GET)
        ? answer.get()
        : Answer.refusal(Answer.WRONG_METHOD, "only GET is possible here");
  }

  static Answer plain(int status, String text) {
    return new Answer(status, "text/plain; charset=utf-8", text);
  }

  private static Answer nothingHere() {
    return Answer.refusal(
        Answer.NOT_FOUND, "there is nothing here: /api/openapi.json tells what is");
  }

  /// Returns the description of all calls, which lies beside this class.
  private static Answer description() {
    try (InputStream in = Door.class.getResourceAsStream("openapi.json")) {
      if (in == null) {
        throw new IllegalStateException("openapi.json lies beside this class");
      }
      return new Answer(
          Answer.OK, Answer.JSON, new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A change that a body describes.
  ///
  /// @param what it is, in words that tell it from every other one
  /// @param action begins it
  record Wanted(String what, Changes.Action action) {}

  /// Makes a change.
  ///
  /// @param wrong what to say of a body from which nothing can be made
  /// @param of makes the change of a body, or returns null
  Answer change(
      Call call, String wrong, Function<Map<String, @Nullable Object>, @Nullable Wanted> of) {
    if (!call.method().equals(POST)) {
      return Answer.refusal(Answer.WRONG_METHOD, "only POST is possible here");
    }
    String type = call.type();
    if (type == null || !type.split(";", 2)[0].strip().equalsIgnoreCase(Answer.JSON)) {
      return Answer.refusal(Answer.WRONG_TYPE, "send " + Answer.JSON);
    }
    Map<String, @Nullable Object> body;
    try {
      body = Json.object(call.body());
    } catch (IOException e) {
      return Answer.refusal(Answer.WRONG, "the body cannot be read: " + firstLine(e));
    }
    if (!(body.get("request") instanceof String request)
        || request.isEmpty()
        || request.length() > Changes.LONGEST_ID) {
      return Answer.refusal(
          Answer.WRONG,
          "'request' is an id of your choice, a text of up to %d characters"
              .formatted(Changes.LONGEST_ID));
    }
    if (!(body.get("revision") instanceof Long revision)) {
      return Answer.refusal(
          Answer.WRONG, "'revision' is that of the run that you have seen, a number");
    }
    Wanted wanted = of.apply(body);
    return wanted == null
        ? Answer.refusal(Answer.WRONG, wrong)
        : changes.ask(request, revision, wanted.what(), wanted.action());
  }

  private static String firstLine(IOException e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }
}
