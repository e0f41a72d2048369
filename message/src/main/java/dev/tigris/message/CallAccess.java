package dev.tigris.message;

import dev.tigris.message.channel.BulkTarget;
import dev.tigris.message.channel.Channel;
import dev.tigris.message.channel.EndpointAccess;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// The access that this package gives to the package of calls.
final class CallAccess implements EndpointAccess {
  @Override
  public Channel channel(Token token) {
    return token.channel();
  }

  @Override
  public Channel channel(Endpoint endpoint, int entry) {
    return endpoint.channel(entry);
  }

  @Override
  public void touched(Endpoint endpoint, Channel channel) {
    endpoint.bundle().touched(channel);
  }

  @Override
  public void targets(Endpoint endpoint, LongFunction<BulkTarget> targets) {
    endpoint.targets(targets);
  }

  @Override
  public @Nullable BulkTarget target(Message message) {
    return message.target();
  }
}
