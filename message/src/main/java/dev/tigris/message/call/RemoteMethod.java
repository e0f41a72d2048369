package dev.tigris.message.call;

import dev.tigris.memory.schema.SchemaException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How a client calls a method of one server.
///
/// @param id the number that the server knows it by
/// @param argumentsTo what the server has for each parameter, where that is another schema; empty
///     if all are alike
/// @param resultFrom what the server has for the result, if that is another schema
/// @param refusal why it cannot be called; null if it can
record RemoteMethod(
    long id,
    List<@Nullable Value> argumentsTo,
    @Nullable Value resultFrom,
    @Nullable String refusal) {
  /// Compares a method of this side with that of a server.
  ///
  /// @param theirs null if the server has none of this name
  static RemoteMethod match(Signature own, @Nullable Signature theirs) {
    if (theirs == null) {
      return refused("the server has no " + own.fullName());
    }
    if (theirs.id() == own.id()) {
      return new RemoteMethod(own.id(), List.of(), null, null);
    }
    if (!areAlike(own, theirs)) {
      return refused("the server has %s, and this side %s".formatted(theirs.text(), own.text()));
    }
    try {
      List<@Nullable Value> arguments = new ArrayList<>();
      boolean anyConverts = false;
      for (int i = 0; i < own.parameters().size(); i++) {
        Value mine = own.parameters().get(i);
        Value its = theirs.parameters().get(i);
        boolean converts = mine.schema() != null && !mine.its().equals(its.its());
        if (converts) {
          mine.its().requireConvertible(its.its());
        }
        anyConverts |= converts;
        arguments.add(converts ? its : null);
      }
      Value result = own.result();
      boolean converts = result.schema() != null && !result.its().equals(theirs.result().its());
      if (converts) {
        theirs.result().its().requireConvertible(result.its());
      }
      return new RemoteMethod(
          theirs.id(),
          anyConverts ? arguments : List.of(),
          converts ? theirs.result() : null,
          null);
    } catch (SchemaException e) {
      return refused(own.fullName() + " differs at the server: " + e.getMessage());
    }
  }

  private static boolean areAlike(Signature own, Signature theirs) {
    return own.isStream() == theirs.isStream()
        && own.result().kind() == theirs.result().kind()
        && own.parameters().stream()
            .map(Value::kind)
            .toList()
            .equals(theirs.parameters().stream().map(Value::kind).toList());
  }

  private static RemoteMethod refused(String why) {
    return new RemoteMethod(0, List.of(), null, why);
  }

  boolean converts() {
    return !argumentsTo.isEmpty();
  }
}
