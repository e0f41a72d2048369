package dev.tigris.specializer.patch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class ClassRegionsTest {
  private static byte[] bytes(Class<?> type) throws IOException {
    String name = "/" + type.getName().replace('.', '/') + ".class";
    try (InputStream in = type.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  @Test
  void findsWhatTheClassFileLibraryFinds() throws IOException {
    for (Class<?> type :
        List.of(String.class, ConcurrentHashMap.class, List.class, ClassRegions.class)) {
      byte[] classFile = bytes(type);
      ClassModel model = ClassFile.of().parse(classFile);
      ClassRegions regions = ClassRegions.of(classFile);
      assertEquals(type.getName(), regions.className());
      assertEquals(model.constantPool().size(), regions.poolCount());
      assertEquals(
          model.methods().stream()
              .map(method -> method.methodName().stringValue() + method.methodType().stringValue())
              .toList(),
          regions.methods().stream().map(ClassRegions.Method::key).toList());
      assertEquals(
          model.attributes().stream()
              .map(attribute -> attribute.attributeName().stringValue())
              .toList(),
          regions.attributes().stream()
              .map(attribute -> regions.text(attribute.nameIndex()))
              .toList());
      assertEquals(classFile.length, regions.end());
    }
  }

  @Test
  void findsTheBytesOfEachMethod() throws IOException {
    byte[] classFile = bytes(ConcurrentHashMap.class);
    ClassModel model = ClassFile.of().parse(classFile);
    List<ClassRegions.Method> methods = ClassRegions.of(classFile).methods();
    for (int index = 0; index < methods.size(); index++) {
      ClassRegions.Method method = methods.get(index);
      byte[] code =
          model
              .methods()
              .get(index)
              .findAttribute(Attributes.code())
              .map(found -> found.codeArray())
              .orElse(new byte[0]);
      String all =
          new String(
              classFile,
              method.start(),
              method.end() - method.start(),
              StandardCharsets.ISO_8859_1);
      assertTrue(all.contains(new String(code, StandardCharsets.ISO_8859_1)), method.key());
    }
  }

  @Test
  void refusesWhatIsCutOff() throws IOException {
    byte[] classFile = bytes(ClassRegionsTest.class);
    for (int length = 0; length < classFile.length; length++) {
      byte[] cut = Arrays.copyOf(classFile, length);
      assertThrows(IllegalArgumentException.class, () -> ClassRegions.of(cut));
    }
    byte[] longer = Arrays.copyOf(classFile, classFile.length + 1);
    assertThrows(IllegalArgumentException.class, () -> ClassRegions.of(longer));
  }
}
