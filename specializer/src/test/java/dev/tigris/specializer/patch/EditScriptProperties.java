package dev.tigris.specializer.patch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class EditScriptProperties {
  /// Carries the steps out at once, and counts what it copies.
  private static final class Follower implements CommonSubsequence.Steps {
    private final byte[] from;
    private final byte[] to;
    private final ByteArrayOutputStream made = new ByteArrayOutputStream();
    private int at;
    private int copied;

    Follower(byte[] from, byte[] to) {
      this.from = from;
      this.to = to;
    }

    @Override
    public void copy(int count) {
      made.write(from, at, count);
      at += count;
      copied += count;
    }

    @Override
    public void skip(int count) {
      at += count;
    }

    @Override
    public void insert(int start, int end) {
      made.write(to, start, end - start);
    }
  }

  private static Follower follow(byte[] from, byte[] to) {
    Follower follower = new Follower(from, to);
    CommonSubsequence.script(from, 0, from.length, to, 0, to.length, follower);
    return follower;
  }

  /// The textbook's table.
  private static int longestCommonSubsequence(byte[] from, byte[] to) {
    int[][] longest = new int[from.length + 1][to.length + 1];
    for (int i = from.length - 1; i >= 0; i--) {
      for (int j = to.length - 1; j >= 0; j--) {
        longest[i][j] =
            from[i] == to[j]
                ? longest[i + 1][j + 1] + 1
                : Math.max(longest[i + 1][j], longest[i][j + 1]);
      }
    }
    return longest[0][0];
  }

  /// Few different bytes, so that there is much in common.
  @Provide
  Arbitrary<byte[]> texts() {
    return Arbitraries.bytes().between((byte) 0, (byte) 3).array(byte[].class).ofMaxSize(60);
  }

  @Property(tries = 2_000)
  void copiesALongestCommonSubsequence(@ForAll("texts") byte[] from, @ForAll("texts") byte[] to) {
    Follower follower = follow(from, to);
    assertArrayEquals(to, follower.made.toByteArray());
    assertEquals(from.length, follower.at);
    assertEquals(longestCommonSubsequence(from, to), follower.copied);
  }

  @Property(tries = 300)
  void findsFewEditsInALongText(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] from = new byte[20_000];
    random.nextBytes(from);
    byte[] to = from.clone();
    for (int edit = 0; edit < 20; edit++) {
      to[random.nextInt(to.length)]++;
    }
    Follower follower = follow(from, to);
    assertArrayEquals(to, follower.made.toByteArray());
    assertEquals(true, follower.copied >= from.length - 20);
  }

  @Example
  void replacesAsAWholeWhatDiffersInTooManyPlaces() {
    byte[] from = new byte[30_000];
    byte[] to = new byte[30_000];
    Arrays.fill(from, (byte) 1);
    Arrays.fill(to, (byte) 2);
    Follower follower = follow(from, to);
    assertArrayEquals(to, follower.made.toByteArray());
    assertEquals(0, follower.copied);
  }
}
