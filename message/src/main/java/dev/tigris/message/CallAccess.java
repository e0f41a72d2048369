package dev.tigris.message;

import dev.tigris.message.channel.BulkTarget;
import dev.tigris.message.channel.Channel;
import dev.tigris.message.channel.EndpointAccess;
import dev.tigris.message.channel.Environment;
import dev.tigris.net.Fabric;
import java.time.Duration;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// The access that this package gives to the package of calls, and to simulators.
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
  public void refusals(Endpoint endpoint, Handler hears) {
    endpoint.refusals(hears);
  }

  @Override
  public @Nullable BulkTarget target(Message message) {
    return message.target();
  }

  @Override
  public Question ask(Endpoint endpoint, String provider, String address, Duration limit) {
    return endpoint.bundle().probe(provider, address, limit);
  }

  @Override
  public Bundle open(Options options, List<Fabric> fabrics, Environment environment) {
    return Bundle.open(options, fabrics, environment);
  }

  @Override
  public void checkInvariants(Bundle bundle) {
    bundle.checkInvariants();
  }
}
