package dev.tigris.specializer.maven;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.specializer.ClassSource;
import dev.tigris.specializer.MemoryNames;
import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.TrustedKeys;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.artifact.DefaultArtifact;
import org.apache.maven.artifact.handler.DefaultArtifactHandler;
import org.apache.maven.model.Build;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugin.logging.SystemStreamLog;
import org.apache.maven.project.MavenProject;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GoalTest {
  private static final ClassDesc TRADE = ClassDesc.of("app.Trade");
  private static final ClassDesc USER = ClassDesc.of("app.User");

  @TempDir private Path folder;
  private MavenProject project;

  @BeforeEach
  void makeProject() throws IOException {
    project = new MavenProject();
    Build build = new Build();
    build.setDirectory(folder.resolve("target").toString());
    build.setOutputDirectory(folder.resolve("target/classes").toString());
    build.setTestOutputDirectory(folder.resolve("target/test-classes").toString());
    project.setBuild(build);
    project.setArtifacts(Set.of());
    write(Path.of(build.getOutputDirectory()), MemoryNames.PSO, pso());
  }

  private static byte[] pso() {
    return ClassFile.of()
        .build(
            MemoryNames.PSO, type -> type.withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_ABSTRACT));
  }

  /// A class of objects with one field.
  private static byte[] trade(ClassDesc fieldType) {
    return ClassFile.of()
        .build(
            TRADE,
            type ->
                type.withFlags(ClassFile.ACC_PUBLIC)
                    .withSuperclass(MemoryNames.PSO)
                    .withField("quantity", fieldType, ClassFile.ACC_PUBLIC));
  }

  /// A class that reads it.
  private static byte[] user() {
    return ClassFile.of()
        .build(
            USER,
            type ->
                type.withMethodBody(
                    "use",
                    MethodTypeDesc.of(ConstantDescs.CD_int, TRADE),
                    ClassFile.ACC_STATIC,
                    code ->
                        code.aload(0).getfield(TRADE, "quantity", ConstantDescs.CD_int).ireturn()));
  }

  private static Path write(Path classes, ClassDesc name, byte[] bytes) throws IOException {
    Path file = classes.resolve(ClassSource.pathOf(name));
    Files.createDirectories(file.getParent());
    return Files.write(file, bytes);
  }

  private Path classes() {
    return Path.of(project.getBuild().getOutputDirectory());
  }

  private void run(Goal goal) throws Exception {
    goal.project = project;
    goal.checkDependencies = true;
    goal.execute();
  }

  @Test
  void specializesTheMainClassesAndReports() throws Exception {
    write(classes(), TRADE, trade(ConstantDescs.CD_int));
    Path user = write(classes(), USER, user());
    run(new SpecializeMojo());
    assertFalse(Arrays.equals(user(), Files.readAllBytes(user)));
    String report = Files.readString(folder.resolve("target/tigris-specializer/report.txt"));
    assertTrue(report.contains("getfield app.Trade.quantity  by pso-field"), report);
  }

  @Test
  void changesNothingTheSecondTime() throws Exception {
    Path trade = write(classes(), TRADE, trade(ConstantDescs.CD_int));
    Path user = write(classes(), USER, user());
    run(new SpecializeMojo());
    byte[] tradeBytes = Files.readAllBytes(trade);
    byte[] userBytes = Files.readAllBytes(user);
    run(new SpecializeMojo());
    assertArrayEquals(tradeBytes, Files.readAllBytes(trade));
    assertArrayEquals(userBytes, Files.readAllBytes(user));
    write(classes(), USER, user());
    run(new SpecializeMojo());
    assertArrayEquals(userBytes, Files.readAllBytes(user));
  }

  @Test
  void specializesTestClassesThatUseMainClasses() throws Exception {
    write(classes(), TRADE, trade(ConstantDescs.CD_int));
    Path user = write(Path.of(project.getBuild().getTestOutputDirectory()), USER, user());
    run(new SpecializeMojo());
    run(new TestSpecializeMojo());
    assertFalse(Arrays.equals(user(), Files.readAllBytes(user)));
  }

  @Test
  void failsOnAFieldThatCannotBeStored() throws Exception {
    write(classes(), TRADE, trade(ConstantDescs.CD_String));
    MojoFailureException e =
        assertThrows(MojoFailureException.class, () -> run(new SpecializeMojo()));
    assertTrue(e.getMessage().contains("app.Trade.quantity"), e.getMessage());
    assertTrue(e.getMessage().contains("@HeapOnly"), e.getMessage());
  }

  @Test
  void failsOnAnUnrewrittenAccessInADependency() throws Exception {
    write(classes(), TRADE, trade(ConstantDescs.CD_int));
    Path jar = folder.resolve("user.jar");
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out)) {
      entries.putNextEntry(new ZipEntry("app/User.class"));
      entries.write(user());
    }
    Artifact dependency =
        new DefaultArtifact(
            "app",
            "user",
            "1",
            "runtime",
            "jar",
            null,
            new DefaultArtifactHandler("jar") {
              @Override
              public boolean isAddedToClasspath() {
                return true;
              }
            });
    dependency.setFile(jar.toFile());
    project.setResolvedArtifacts(Set.of(dependency));
    project.setArtifactFilter(artifact -> true);
    MojoFailureException e =
        assertThrows(MojoFailureException.class, () -> run(new SpecializeMojo()));
    assertTrue(
        e.getMessage().contains("app.User.use(unknown source): getfield app.Trade.quantity"),
        e.getMessage());
    Goal unchecked = new SpecializeMojo();
    unchecked.project = project;
    unchecked.execute();
  }

  @Test
  void deliversPatchesWhenAsked() throws Exception {
    write(classes(), TRADE, trade(ConstantDescs.CD_int));
    Path user = write(classes(), USER, user());
    run(new SpecializeMojo());
    byte[] rewritten = Files.readAllBytes(user);
    write(classes(), TRADE, trade(ConstantDescs.CD_int));
    write(classes(), USER, user());
    for (String kind : new String[] {"flat", "diff"}) {
      Goal goal = new SpecializeMojo();
      goal.patch = kind;
      run(goal);
      byte[] patched = Files.readAllBytes(user);
      assertArrayEquals(user(), CodePatch.strip(patched));
      assertArrayEquals(rewritten, CodePatch.apply(patched, TrustedKeys.ANY).orElseThrow());
    }
    Goal unknown = new SpecializeMojo();
    unknown.patch = "round";
    MojoFailureException e = assertThrows(MojoFailureException.class, () -> run(unknown));
    assertTrue(e.getMessage().contains("say none, flat or diff"), e.getMessage());
    Goal keyless = new SpecializeMojo();
    keyless.patch = "diff";
    keyless.key = folder.resolve("no.pem").toFile();
    MojoExecutionException gone = assertThrows(MojoExecutionException.class, () -> run(keyless));
    assertTrue(gone.getMessage().contains("there is no '" + keyless.key + "'"), gone.getMessage());
  }

  @Test
  void refusesWhatWouldHaveNoEffect() throws Exception {
    Path user = write(classes(), USER, user());
    write(classes(), TRADE, trade(ConstantDescs.CD_int));
    Goal signed = new SpecializeMojo();
    signed.key = folder.resolve("key.pem").toFile();
    Goal trusting = new SpecializeMojo();
    trusting.trustedRuleModules = List.of("a.module");
    Goal searching = new SpecializeMojo();
    searching.rulePath = List.of(folder.toFile());
    for (Goal goal : List.of(signed, trusting, searching)) {
      assertThrows(MojoFailureException.class, () -> run(goal));
      assertArrayEquals(user(), Files.readAllBytes(user));
    }
  }

  @Test
  void readsTheRulesFromAFile() throws Exception {
    write(classes(), TRADE, trade(ConstantDescs.CD_int));
    Path user = write(classes(), USER, user());
    Goal ruled = new SpecializeMojo();
    ruled.rules = Files.writeString(folder.resolve("rules"), "pso-field\n").toFile();
    run(ruled);
    assertFalse(Arrays.equals(user(), Files.readAllBytes(user)));
    Goal wrong = new SpecializeMojo();
    wrong.rules = Files.writeString(folder.resolve("wrong"), "a.module/rule\n").toFile();
    MojoExecutionException e = assertThrows(MojoExecutionException.class, () -> run(wrong));
    assertTrue(e.getMessage().contains("wrong:1:1: the module a.module is not"), e.getMessage());
    wrong.trustedRuleModules = List.of("a.module");
    e = assertThrows(MojoExecutionException.class, () -> run(wrong));
    assertTrue(e.getMessage().contains("the module a.module is not on the path"), e.getMessage());
  }

  @Test
  void warnsWhereTestClassesAreForgotten() throws Exception {
    write(classes(), TRADE, trade(ConstantDescs.CD_int));
    write(classes(), USER, user());
    assertEquals(List.of(), warnings());
    project.addTestCompileSourceRoot(Files.createDirectory(folder.resolve("tests")).toString());
    List<String> warnings = warnings();
    assertEquals(1, warnings.size());
    assertTrue(warnings.getFirst().contains("Add the goal 'test-specialize'"), warnings::toString);
    PluginExecution execution = new PluginExecution();
    execution.addGoal("test-specialize");
    Plugin plugin = new Plugin();
    plugin.addExecution(execution);
    project.getBuild().addPlugin(plugin);
    assertEquals(List.of(), warnings());
  }

  private List<String> warnings() throws Exception {
    List<String> warnings = new ArrayList<>();
    Goal goal = new SpecializeMojo();
    goal.setLog(
        new SystemStreamLog() {
          @Override
          public void warn(CharSequence content) {
            warnings.add(content.toString());
          }
        });
    run(goal);
    return warnings;
  }

  @Test
  void doesNothingWithoutClassesOrWhenSkipped() throws Exception {
    run(new TestSpecializeMojo());
    Path trade = write(classes(), TRADE, trade(ConstantDescs.CD_int));
    Goal skipped = new SpecializeMojo();
    skipped.skip = true;
    run(skipped);
    assertArrayEquals(trade(ConstantDescs.CD_int), Files.readAllBytes(trade));
    assertEquals(false, Files.exists(folder.resolve("target/tigris-specializer")));
  }
}
