package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Slow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `tigris keys`.
class KeysCommandTest {
  private static final String KEYS = "keys --keys @/keys ";

  @TempDir private Path folder;
  private Shell shell;

  @BeforeEach
  void openShell() {
    shell = new Shell(folder);
  }

  private String out(String line) {
    Shell.Result result = shell.run(KEYS + line);
    assertEquals(ExitCode.OK, result.code(), result.err());
    return result.out();
  }

  private void refuses(String line, ExitCode code, String why) {
    Shell.Result result = shell.run(KEYS + line);
    assertEquals(code, result.code(), result.err());
    assertTrue(result.err().contains(why), result.err());
  }

  @Test
  void refusesWhatItCannotDo() {
    refuses("", ExitCode.USAGE, "'' is no action");
    refuses("nonsense", ExitCode.USAGE, "'nonsense' is no action");
    refuses("init more", ExitCode.USAGE, "'more' is one name too many");
    refuses("worker", ExitCode.USAGE, "name the host");
    refuses("revoke", ExitCode.USAGE, "name the host, or the key");
    refuses("coordinator one two", ExitCode.USAGE, "'two' is one name too many");
    refuses("worker h1 --days 0", ExitCode.USAGE, "--days 0: a key is valid for 1 to 3650");
    refuses("worker h1", ExitCode.BAD_INPUT, "make one with 'tigris keys init'");
    refuses("list", ExitCode.BAD_INPUT, "has no authority");
  }

  @Slow("each key is made by a process")
  @Test
  void makesListsAndRevokesKeys() throws Exception {
    Path keys = folder.resolve("keys");
    assertEquals(
        "made the authority in %s: now make a key for each host%n".formatted(keys), out("init"));
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(keys)));
    refuses("init", ExitCode.BAD_INPUT, "has an authority already");

    Path worker = keys.resolve("worker-h1.example.key");
    assertEquals(
        "made %s: move it to its host%n".formatted(worker), out("worker h1.example 10.0.0.1"));
    Path coordinator = keys.resolve("coordinator.key");
    assertEquals(
        "made %s: move it to the host that starts runs%n".formatted(coordinator),
        out("coordinator --days 2"));
    for (Path key : List.of(worker, coordinator, keys.resolve("authority.p12"))) {
      assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(key)));
    }
    refuses("worker h1.example", ExitCode.BAD_INPUT, "revoke it first");
    refuses("worker ../h1", ExitCode.BAD_INPUT, "is no name of a host");
    refuses("revoke h2.example", ExitCode.BAD_INPUT, "h2.example");

    List<String> listed = out("list").lines().toList();
    assertEquals(2, listed.size(), listed::toString);
    assertTrue(
        listed.getFirst().matches("worker h1\\.example, number \\d+, valid until .*"),
        listed::getFirst);
    assertTrue(listed.getLast().startsWith("coordinator coordinator, number "), listed::getLast);

    String revoked = out("revoke h1.example");
    assertTrue(revoked.startsWith("revoked worker h1.example, number "), revoked);
    assertTrue(revoked.contains(keys.resolve("revoked.crl") + " belongs beside"), revoked);
    assertTrue(Files.notExists(worker));
    String again = out("worker h1.example");
    assertTrue(again.startsWith("made " + worker), again);
    List<String> after = out("list").lines().toList();
    assertEquals(3, after.size(), after::toString);
    assertTrue(after.getFirst().endsWith(", revoked"), after::getFirst);
    assertTrue(after.getLast().contains(", valid until "), after::getLast);
  }
}
