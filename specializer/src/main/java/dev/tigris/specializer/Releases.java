package dev.tigris.specializer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.constant.ClassDesc;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What a multi-release jar, or the folder that becomes one, holds for each release of the JDK: a
/// class in `META-INF/versions/25` takes the place of its namesake for release 25 and later. It may
/// be a class of objects where the other is none, so each release is looked at by itself.
final class Releases {
  private static final String VERSIONS = "META-INF/versions/";
  private static final int BASE = 0;

  private final Specializer specializer;
  private final Content content;
  private final NavigableSet<Integer> releases = new TreeSet<>();
  private final Map<Integer, Specializer> byRelease = new HashMap<>();

  /// The bytes of a file in the folder or jar, or null if there is none of this name.
  interface Content {
    byte @Nullable [] read(String name) throws IOException;
  }

  /// @param specializer for what has one release only, and for all that lies elsewhere
  /// @param names of the files, with `/` between folders
  Releases(Specializer specializer, Stream<String> names, Content content) {
    this.specializer = specializer;
    this.content = content;
    names.map(Releases::release).flatMapToInt(OptionalInt::stream).forEach(releases::add);
  }

  /// The specializer that sees what a JDK of the release sees that a class file is for.
  Specializer specializerOf(String name) {
    return releases.isEmpty()
        ? specializer
        : byRelease.computeIfAbsent(
            release(name).orElse(BASE), release -> specializer.seeing(type -> find(type, release)));
  }

  private static OptionalInt release(String name) {
    if (!name.startsWith(VERSIONS)) {
      return OptionalInt.empty();
    }
    int end = name.indexOf('/', VERSIONS.length());
    try {
      return end < 0
          ? OptionalInt.empty()
          : OptionalInt.of(Integer.parseInt(name.substring(VERSIONS.length(), end)));
    } catch (NumberFormatException noRelease) {
      return OptionalInt.empty();
    }
  }

  private byte @Nullable [] find(ClassDesc type, int release) {
    String path = ClassSource.pathOf(type);
    try {
      for (int at : releases.headSet(release, true).descendingSet()) {
        byte[] bytes = content.read(VERSIONS + at + "/" + path);
        if (bytes != null) {
          return bytes;
        }
      }
      return content.read(path);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read class " + type.displayName(), e);
    }
  }
}
