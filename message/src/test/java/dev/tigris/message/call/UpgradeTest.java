package dev.tigris.message.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/// Servers and clients are upgraded one after the other, in both orders. Each version of the
/// classes is loaded under one name, by a class loader of its own.
class UpgradeTest {
  private static final String PACKAGE = UpgradeTest.class.getPackageName();

  /// Loads the classes of one version, `ItemOld` as `ItemAny`: the names are equally long, so they
  /// are replaced in the bytes.
  private static final class Version extends ClassLoader {
    private final Map<String, byte[]> classes = new HashMap<>();

    Version(String suffix) throws IOException {
      super(UpgradeTest.class.getClassLoader());
      for (String name : List.of("Item", "Items", "Program")) {
        try (InputStream in = UpgradeTest.class.getResourceAsStream(name + suffix + ".class")) {
          String bytes = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
          classes.put(
              PACKAGE + "." + name + "Any",
              bytes
                  .replaceAll("(Items?|Program)" + suffix, "$1Any")
                  .getBytes(StandardCharsets.ISO_8859_1));
        }
      }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      byte[] bytes = classes.get(name);
      if (bytes == null) {
        throw new ClassNotFoundException(name);
      }
      return defineClass(name, bytes, 0, bytes.length);
    }

    @SuppressWarnings("unchecked")
    UnaryOperator<String> program() throws ReflectiveOperationException {
      return (UnaryOperator<String>)
          loadClass(PACKAGE + ".ProgramAny").getConstructor().newInstance();
    }
  }

  private static String call(UnaryOperator<String> client, UnaryOperator<String> server) {
    String address = server.apply("serve");
    try {
      return client.apply(address);
    } finally {
      String _ = server.apply("close");
    }
  }

  @Test
  void eitherSideCanBeUpgradedFirst() throws Exception {
    UnaryOperator<String> old = new Version("Old").program();
    UnaryOperator<String> fresh = new Version("New").program();
    assertEquals("item 2 11 105 0", call(old, old));
    assertEquals("item 2 11 2.5 0", call(fresh, fresh));
    assertEquals("item 2 11 0 0", call(old, fresh), "a field that the server lacks is dropped");
    assertEquals("item 2 11 0.0 0", call(fresh, old), "one that it does not know begins with 0");
    assertEquals("item 2 11 105 0", call(old, old), "no version has changed another one");
  }

  @Test
  void refusesByNameWhatCannotBeConverted() throws Exception {
    UnaryOperator<String> old = new Version("Old").program();
    UnaryOperator<String> wide = new Version("Big").program();
    for (String failure : List.of(call(old, wide), call(wide, old))) {
      assertTrue(failure.startsWith("UNIMPLEMENTED: "), failure);
      assertTrue(failure.contains(".ItemAny.size"), failure);
    }
  }
}
