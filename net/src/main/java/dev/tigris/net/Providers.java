package dev.tigris.net;

import dev.tigris.net.provider.Provider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The providers that this process can load.
///
/// A provider that cannot be loaded, and one whose name another provider has already, is a
/// [Fabric.Candidate] with an obstacle: neither keeps the others from being used.
final class Providers {
  /// After so many failures of one loader its other providers are left alone: a loader that fails
  /// for ever would be asked for ever.
  private static final int MOST_FAILURES = 100;

  private static final Comparator<Provider> BY_PREFERENCE =
      Comparator.comparing(Provider::kind)
          .thenComparing(Comparator.comparingInt(Provider::rank).reversed())
          .thenComparing(Provider::name);

  private final Map<String, Provider> byName = new TreeMap<>();
  private final Set<Class<?>> seen = new HashSet<>();
  private final List<Fabric.Candidate> unusable = new ArrayList<>();

  private Providers() {}

  /// Loads all providers: those beside this class first, then those of the application.
  static Providers load() {
    return load(Providers.class.getClassLoader(), Thread.currentThread().getContextClassLoader());
  }

  /// Loads the providers that these class loaders find, in this order. For tests.
  static Providers load(ClassLoader... loaders) {
    Providers found = new Providers();
    for (ClassLoader loader : loaders) {
      found.addAll(ServiceLoader.load(Provider.class, loader));
    }
    return found;
  }

  private void addAll(ServiceLoader<Provider> loader) {
    Iterator<ServiceLoader.Provider<Provider>> services = loader.stream().iterator();
    int failures = 0;
    while (failures < MOST_FAILURES) {
      try {
        if (!services.hasNext()) {
          return;
        }
        add(services.next());
      } catch (ServiceConfigurationError | LinkageError e) {
        failures++;
        fails("a provider", e);
      }
    }
  }

  private void add(ServiceLoader.Provider<Provider> service) {
    String type = service.type().getName(); // of a provider method, what that says it returns
    try {
      Provider provider = service.get();
      if (!seen.add(provider.getClass())) {
        return; // both class loaders find it
      }
      type = provider.getClass().getName();
      String name = provider.name();
      var _ = BY_PREFERENCE.compare(provider, provider); // asks for all that the order needs
      Provider first = byName.putIfAbsent(name, provider);
      if (first != null) {
        String used = first.getClass().getName();
        String why = "%s has this name, too, and is used: remove one of the two".formatted(used);
        unusable.add(candidate(name, type, why));
      }
    } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
      fails(type, e);
    }
  }

  private void fails(String type, Throwable why) {
    String message = String.valueOf(why.getMessage());
    Throwable cause = why.getCause();
    String reason = cause == null ? message : message + ": " + cause;
    Fabric.Candidate failed = candidate(type, type, "it cannot be loaded: " + reason);
    if (!unusable.contains(failed)) { // both class loaders may find it
      unusable.add(failed);
    }
  }

  private static Fabric.Candidate candidate(String name, String type, String obstacle) {
    return new Fabric.Candidate(name, type, Optional.of(obstacle));
  }

  /// The providers that are loaded, in the order in which [Fabric#best] tries them.
  List<Provider> inOrder() {
    return byName.values().stream().sorted(BY_PREFERENCE).toList();
  }

  /// All providers, with what keeps each from reaching a host: those that are loaded in order, then
  /// the others.
  List<Fabric.Candidate> candidates(String host) {
    List<Fabric.Candidate> all = new ArrayList<>();
    for (Provider each : inOrder()) {
      all.add(new Fabric.Candidate(each.name(), each.getClass().getName(), obstacle(each, host)));
    }
    all.addAll(unusable);
    return List.copyOf(all);
  }

  /// What a provider says, or what it throws though it must not.
  private static Optional<String> obstacle(Provider provider, String host) {
    try {
      return provider.obstacle().or(() -> provider.obstacleTo(host));
    } catch (RuntimeException | LinkageError e) {
      return Optional.of("it fails when it is asked: " + e);
    }
  }

  /// Returns the provider of a name.
  ///
  /// @throws IllegalArgumentException if there is none, with those that could not be loaded
  Provider named(String name) {
    Provider found = byName.get(name);
    if (found != null) {
      return found;
    }
    String names = inOrder().stream().map(Provider::name).collect(Collectors.joining(", "));
    String failed =
        unusable.stream()
            .map(each -> "; not %s: %s".formatted(each.implementation(), each.obstacle().get()))
            .collect(Collectors.joining());
    throw new IllegalArgumentException(
        "there is no provider '%s'; there are %s%s".formatted(name, names, failed));
  }
}
