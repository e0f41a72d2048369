package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.testing.process.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The command of a worker, which repeats that of its parent.
class JavaCommandTest {
  private static final String JBUFS = "-Dtigris.memory.budget=";
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
        options.stream()
            .allMatch(
                each ->
                    each.startsWith("-XX:M")
                        || each.startsWith("-XX:Act")
                        || each.startsWith(JBUFS)),
        options::toString);
  }

  @Test
  void theAotCacheOfTheParentIsLeftOutForAnotherOne() {
    List<String> options = List.of("-XX:AOTMode=auto", "-Dp=1", "-XX:AOTCache=parent.aot");
    assertEquals(List.of("-Dp=1"), new JavaCommand(CODE, options).withoutAotCache().options());
  }

  @Test
  void theAotCacheOfTheParentIsRepeatedWhereItFits() {
    String cache = "-XX:AOTCache=parent.aot";
    String main = "-Dtigris.process.main=m/m.Works";
    CodePath modules = new CodePath("", "modules");
    assertTrue(
        options(true, false, cache).contains(cache), "a class path, which begins as its own");
    assertFalse(
        JavaCommand.of(List.of(cache), 4, modules, true, false).options().contains(cache),
        "another main module");
    assertFalse(
        JavaCommand.of(List.of(cache), 4, new CodePath("", ""), true, false)
            .options()
            .contains(cache),
        "a linked application with another main module");
    JavaCommand own = JavaCommand.of(List.of(cache, main), 4, modules, true, false);
    assertTrue(own.options().contains(cache), own::toString);
    assertEquals(List.of("-m", "m/m.Works"), own.words(Path.of("options")).subList(2, 4));
    assertFalse(own.optionsFile().contains("--add-modules"), own::optionsFile);
    CodePath more = new CodePath("program.jar", "modules");
    JavaCommand program = JavaCommand.of(List.of(cache, main), 4, more, true, false);
    assertTrue(program.options().contains(cache), "a class path besides the modules");
    assertEquals(List.of("-m", "m/m.Works"), program.words(Path.of("options")).subList(2, 4));
    JavaCommand release = JavaCommand.of(List.of(main), 4, CODE, true, false);
    assertEquals(Main.class.getName(), release.words(Path.of("options")).get(2));
  }

  @Test
  void theMemoryOfJbufsIsDivided() {
    List<String> options = options(true, false, JBUFS + "1t");
    assertEquals(
        List.of(JBUFS + Jbuf.use().budgetBytes() / 4),
        options.stream().filter(each -> each.startsWith(JBUFS)).toList());
  }

  @ParameterizedTest
  @CsvSource({
    "-Xlog:gc,true",
    "-Xlog:gc:stdout,true",
    "-Xlog:disable,true",
    "-Xlog:gc::time,true",
    "-Xlog:gc:gc.log,false",
    "-Xlog:gc:file=gc.log:time,false",
    "-Xloggc:gc.log,false"
  })
  void logsThatGoToAFileStayWithTheParent(String option, boolean isRepeated) {
    assertEquals(isRepeated, options(true, false, option).contains(option));
  }

  @Test
  void javaReadsTheOptionsAsTheyWereGiven(@TempDir Path folder) throws IOException {
    String odd = "a \"b\" c:\\d 'e' #f\ng @h";
    JavaCommand command = new JavaCommand(CODE, List.of("-Dodd=" + odd));
    Path options = folder.resolve("options");
    Files.writeString(options, command.optionsFile());
    List<String> words = new ArrayList<>(command.words(options).subList(0, 2));
    words.addAll(List.of("-XshowSettings:properties", "-version"));
    String printed = Command.of(words).output();
    assertTrue(printed.contains("odd = " + odd), printed);
  }

  @Test
  void aJarOfSpringBootIsStartedByItsLauncher() {
    CodePath boot = new CodePath("app.jar", "", "boot.PropertiesLauncher");
    JavaCommand command = new JavaCommand(boot, List.of());
    assertEquals("boot.PropertiesLauncher", command.words(Path.of("options"), "a").get(2));
    assertTrue(
        command.optionsFile().contains("\"-Dloader.main=" + Main.class.getName() + "\""),
        command::optionsFile);
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
  void moreOptionsFollowThoseOfTheParent() {
    List<String> given = List.of("-XX:TieredStopAtLevel=4");
    JavaCommand command =
        JavaCommand.of(given, 2, CodePath.ofThisProcess(), true, false)
            .with(List.of("-XX:TieredStopAtLevel=1"));
    assertEquals("-XX:TieredStopAtLevel=1", command.options().getLast());
    assertTrue(command.options().containsAll(given), () -> command.options().toString());
  }

  @Test
  void theMainClassFollowsThePath() {
    JavaCommand command = new JavaCommand(CODE, List.of("-Dp=1"));
    List<String> words = command.words(Path.of("options"), "a");
    assertEquals(List.of("@options", Main.class.getName(), "a"), words.subList(1, 4));
    assertEquals("\"-Dp=1\"\n\"-cp\"\n\"app.jar\"\n", command.optionsFile());
  }
}
