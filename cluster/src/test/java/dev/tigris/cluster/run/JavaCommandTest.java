package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/// The command of a worker, which repeats that of its parent.
class JavaCommandTest {
  private static final CodePath CODE = new CodePath("app.jar", "");

  private static List<String> options(boolean dividesHeap, boolean isNative, String... given) {
    return JavaCommand.of(List.of(given), 4, CODE, dividesHeap, isNative).options();
  }

  @Test
  void agentsPropertiesAndOtherOptionsAreRepeated() {
    List<String> given =
        List.of("-javaagent:a.jar=x", "-Dp=1", "-XX:+UseSerialGC", "--add-exports=a/b=c");
    List<String> options = options(true, false, given.toArray(String[]::new));
    assertEquals(given, options.subList(0, given.size()));
  }

  @Test
  void optionsThatBelongToOneProcessAreLeftOut() {
    List<String> options =
        options(
            true,
            false,
            "-agentlib:jdwp=transport=dt_socket,address=5005",
            "-XX:AOTCacheOutput=x",
            "-Xlog:gc:file=x",
            "-XX:StartFlightRecording=filename=x",
            "--module-path=x",
            "-Djdk.module.main=x");
    assertTrue(
        options.stream().allMatch(each -> each.startsWith("-XX:M") || each.startsWith("-XX:Act")),
        options::toString);
  }

  @Test
  void theHeapIsDivided() {
    List<String> divided = options(true, false, "-Xmx8g", "-Xms1g");
    assertTrue(divided.stream().anyMatch(each -> each.startsWith("-Xmx")), divided::toString);
    assertFalse(divided.contains("-Xmx8g"), divided::toString);
    assertFalse(divided.contains("-Xms1g"), divided::toString);
    assertTrue(options(true, false).contains("-XX:MaxRAMPercentage=6.250"));
    assertTrue(options(false, false, "-Xmx256m").contains("-XX:MaxRAMPercentage=6.250"));
  }

  @Test
  void nativeAccessThatAManifestGaveIsGivenOnTheCommandLine() {
    String option = "--enable-native-access=ALL-UNNAMED";
    assertTrue(options(true, true).contains(option));
    assertFalse(options(true, false).contains(option));
    List<String> given = options(true, true, "--enable-native-access=a");
    assertFalse(given.contains(option), given::toString);
  }

  @Test
  void theMainClassFollowsThePath() {
    List<String> words = new JavaCommand(CODE, List.of("-Dp=1")).words(Main.class, "a");
    int at = words.indexOf("-cp");
    assertEquals(List.of("-cp", "app.jar", Main.class.getName(), "a"), words.subList(at, at + 4));
  }
}
