package dev.tigris.specializer.patch;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A part of a patch that is being made: a method that changes, or what lies between two of those.
final class PatchSection {
  /// What isn't a method.
  static final String ELSEWHERE = "";

  private final String name;
  private final byte[] check;
  private final byte[] script;

  private PatchSection(String name, byte[] check, byte[] script) {
    this.name = name;
    this.check = check;
    this.script = script;
  }

  void write(ByteArrayOutputStream patch) {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    CodePatch.u2(patch, text.length);
    patch.writeBytes(text);
    patch.writeBytes(check);
    CodePatch.u2(patch, script.length >>> 16);
    CodePatch.u2(patch, script.length & 0xffff);
    patch.writeBytes(script);
  }

  /// The sections that turn one class file into another.
  static List<PatchSection> between(byte[] original, byte[] specialized, PatchKind kind) {
    return new Maker(original, specialized, kind).make();
  }

  /// The check of a section: of the bytes `[start, end)` that it is about, and its script
  /// `[scriptStart, scriptEnd)`.
  static byte[] check(
      byte[] original, int start, int end, byte[] patch, int scriptStart, int scriptEnd) {
    MessageDigest digest = CodePatch.sha256();
    digest.update(original, start, end - start);
    digest.update(patch, scriptStart, scriptEnd - scriptStart);
    return Arrays.copyOf(digest.digest(), CodePatch.CHECK_BYTES);
  }

  private static final class Maker {
    private final byte[] original;
    private final byte[] specialized;
    private final ClassRegions before;
    private final ClassRegions after;

    /// The original's.
    private final List<ClassRegions.Method> methods;

    private final PatchKind kind;
    private final List<PatchSection> sections = new ArrayList<>();
    private EditScript script;
    private int sectionAt;

    Maker(byte[] original, byte[] specialized, PatchKind kind) {
      this.original = original;
      this.specialized = specialized;
      this.before = ClassRegions.of(original);
      this.after = ClassRegions.of(specialized);
      this.methods = before.methods();
      this.kind = kind;
      this.script = new EditScript(original, 0, specialized);
    }

    List<PatchSection> make() {
      int constants = ClassRegions.POOL_COUNT_AT + 2;
      differences(0, constants, 0, constants);
      differences(constants, before.poolEnd(), constants, after.poolEnd());
      int fieldsEnd = before.methodsAt() + 2;
      differences(before.poolEnd(), fieldsEnd, after.poolEnd(), after.methodsAt() + 2);
      int next = 0;
      for (ClassRegions.Method method : after.methods()) {
        int match = find(method, next);
        if (match < 0) {
          script.insert(method.start(), method.end());
        } else {
          drop(next, match);
          next = match + 1;
          method(methods.get(match), method);
        }
      }
      drop(next, methods.size());
      int attributes = before.attributesAt();
      differences(attributes, attributes + 2, after.attributesAt(), after.attributesAt() + 2);
      differences(attributes + 2, before.end(), after.attributesAt() + 2, after.end());
      close(ELSEWHERE, before.end());
      return sections;
    }

    /// The method of the original that became `method`, among those from `next` on.
    private int find(ClassRegions.Method method, int next) {
      for (int index = next; index < methods.size(); index++) {
        if (methods.get(index).key().equals(method.key())) {
          return index;
        }
      }
      return -1;
    }

    private void drop(int from, int to) {
      for (ClassRegions.Method gone : methods.subList(from, to)) {
        script.skip(gone.end() - gone.start());
      }
    }

    private void method(ClassRegions.Method was, ClassRegions.Method becomes) {
      boolean same =
          Arrays.equals(
              original, was.start(), was.end(), specialized, becomes.start(), becomes.end());
      if (same) {
        script.copy(was.end() - was.start());
        return;
      }
      close(ELSEWHERE, was.start());
      switch (kind) {
        case FLAT -> {
          script.skip(was.end() - was.start());
          script.insert(becomes.start(), becomes.end());
        }
        case DIFF -> differences(was.start(), was.end(), becomes.start(), becomes.end());
      }
      close(was.key(), was.end());
    }

    private void differences(int fromStart, int fromEnd, int toStart, int toEnd) {
      CommonSubsequence.script(original, fromStart, fromEnd, specialized, toStart, toEnd, script);
    }

    /// Ends the section that is being made and begins another.
    private void close(String name, int end) {
      byte[] steps = script.toBytes();
      byte[] check = check(original, sectionAt, end, steps, 0, steps.length);
      sections.add(new PatchSection(name, check, steps));
      script = new EditScript(original, end, specialized);
      sectionAt = end;
    }
  }
}
