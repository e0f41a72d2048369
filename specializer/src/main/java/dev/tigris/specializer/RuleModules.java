package dev.tigris.specializer;

import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.FindException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ResolutionException;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;

/// Finds the rules that modules provide.
///
/// Where the specializer is a module itself (the command line), they are loaded as modules beside
/// it. Where it is not (Maven's plugins run on a class path), their classes are loaded by the names
/// that the module's descriptor gives. Their class loaders live as long as their rules.
final class RuleModules {
  /// Loads rules, which are not specialized themselves.
  static final class RuleLoader extends URLClassLoader {
    RuleLoader(List<URL> path) {
      super(path.toArray(URL[]::new), RuleModules.class.getClassLoader());
    }
  }

  private final ModuleFinder finder;

  RuleModules(Collection<Path> path) {
    this.finder = ModuleFinder.of(path.toArray(Path[]::new));
  }

  /// All rules of a module.
  ///
  /// @throws IOException if there is no such module, or a rule cannot be made or has no name
  List<Rule> rules(String module) throws IOException {
    List<Rule> rules = made(module);
    for (Rule rule : rules) {
      String name;
      try {
        name = rule.name();
      } catch (RuntimeException e) {
        throw new IOException(
            "the rule %s fails to give its name: %s".formatted(rule.getClass(), e), e);
      }
      if (name == null || name.lines().count() != 1) {
        throw new IOException(
            "the rule %s has the name '%s': give it a name of one line"
                .formatted(rule.getClass().getName(), name));
      }
    }
    return rules;
  }

  private List<Rule> made(String module) throws IOException {
    try {
      boolean elsewhere = finder.find(module).isPresent();
      Module ours = RuleModules.class.getModule();
      if (!elsewhere && ModuleLayer.boot().findModule(module).isPresent()) {
        return of(ServiceLoader.load(ModuleLayer.boot(), Rule.class), module);
      }
      if (!elsewhere) {
        throw new IOException(
            "the module "
                + module
                + " is not on the path for rules: add its jar or folder (--rule-path, "
                + "<rulePath>, or rule-path= of the agent)");
      }
      return ours.isNamed() ? asModule(module) : asClasses(module);
    } catch (FindException
        | ResolutionException
        | ServiceConfigurationError
        | LayerInstantiationException e) {
      throw new IOException("the module " + module + " cannot be used: " + e.getMessage(), e);
    }
  }

  private List<Rule> asModule(String module) {
    ModuleLayer boot = ModuleLayer.boot();
    Configuration resolved =
        boot.configuration().resolve(finder, ModuleFinder.of(), Set.of(module));
    ModuleLayer layer =
        boot.defineModulesWithOneLoader(resolved, RuleModules.class.getClassLoader());
    return of(ServiceLoader.load(layer, Rule.class), module);
  }

  private static List<Rule> of(ServiceLoader<Rule> loader, String module) {
    return loader.stream()
        .filter(provider -> module.equals(provider.type().getModule().getName()))
        .map(ServiceLoader.Provider::get)
        .toList();
  }

  private List<Rule> asClasses(String module) throws IOException {
    List<URL> path = new ArrayList<>();
    for (var reference : finder.findAll()) {
      URI location = reference.location().orElseThrow();
      path.add(location.toURL());
    }
    ClassLoader loader = new RuleLoader(path);
    List<Rule> rules = new ArrayList<>();
    ModuleDescriptor descriptor = finder.find(module).orElseThrow().descriptor();
    for (ModuleDescriptor.Provides provides : descriptor.provides()) {
      if (provides.service().equals(Rule.class.getName())) {
        for (String provider : provides.providers()) {
          rules.add(make(provider, loader));
        }
      }
    }
    return rules;
  }

  private static Rule make(String provider, ClassLoader loader) throws IOException {
    try {
      return Class.forName(provider, true, loader)
          .asSubclass(Rule.class)
          .getConstructor()
          .newInstance();
    } catch (InvocationTargetException e) {
      throw new IOException("the rule " + provider + " cannot be made: " + e.getCause(), e);
    } catch (ReflectiveOperationException | LinkageError | ClassCastException e) {
      throw new IOException("the rule " + provider + " cannot be made: " + e, e);
    }
  }
}
