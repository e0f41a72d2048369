package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.testing.Slow;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Signal;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `tigris worker`, and `tigris run` on two of them, with a program that is compiled here.
class WorkerCommandTest {
  private static final String LISTENS = "listens at ";

  @TempDir private Path folder;
  private final List<Child> workers = new ArrayList<>();

  private Child tigris(String... words) {
    return saying("err", words);
  }

  /// Starts it, with its errors in this file.
  private Child saying(String errors, String... words) {
    return OwnProcess.command(folder, "-Dx=y", Redirect.PIPE, words)
        .environment("XDG_STATE_HOME", folder.resolve("state").toString())
        .environment("XDG_CONFIG_HOME", folder.resolve("config").toString())
        .errorsTo(Redirect.to(folder.resolve(errors).toFile()))
        .start();
  }

  private Child worker(String key, String runs) {
    String line =
        "worker --key %s --code sums.jar --listen 127.0.0.1:0 --runs %s".formatted(key, runs);
    Child made = saying(runs + ".err", line.split(" ", -1));
    workers.add(made);
    return made;
  }

  private static String address(Child worker) {
    String line = String.valueOf(worker.nextLine());
    assertTrue(line.startsWith(LISTENS), line);
    return line.substring(LISTENS.length());
  }

  @AfterEach
  void end() {
    for (Child worker : workers) {
      worker.terminate();
      assertEquals(Signal.TERM.exitCode(), worker.exitCode());
    }
  }

  @Test
  void refusesWhatItCannotServe() {
    Shell shell = new Shell(folder);
    Shell.Result none = shell.run("worker");
    assertEquals(ExitCode.USAGE, none.code(), none.err());
    assertTrue(none.err().contains("--key"), none.err());
    Shell.Result address = shell.run("worker --key @/no.key --listen nowhere");
    assertEquals(ExitCode.USAGE, address.code(), address.err());
    Shell.Result missing = shell.run("worker --key @/no.key --listen 127.0.0.1:0");
    assertEquals(ExitCode.BAD_INPUT, missing.code(), missing.err());
    assertTrue(missing.err().contains("no.key"), missing.err());
  }

  @Slow("makes keys, and starts JVMs")
  @Test
  void servesTheRunsOfCoordinatorsWhoseKeysAreNotRevoked() throws Exception {
    SumsProgram.compile(folder);
    HostKeys keys = HostKeys.init(folder.resolve("config/tigris/keys"));
    String key = keys.worker(List.of("127.0.0.1"), 1).toString();
    Path thief = keys.coordinator("thief", 1);
    Path _ = keys.coordinator("coordinator", 1);
    Path _ =
        Files.write(
            folder.resolve("hosts.txt"),
            List.of("# two", address(worker(key, "there-1")), address(worker(key, "there-2"))));
    String[] run = {"run", "sums.jar", "1000", "--on", "hosts:hosts.txt"};
    for (int i = 0; i < 2; i++) {
      tigris(run).expectLine("numbers 2000").outcome().expect(0);
    }
    tigris("run", "sums.jar", "5", "--program", "sums.Sums$Ranks", "--group", "2", "--on", run[4])
        .expectLine("ranks 3")
        .outcome()
        .expect(0);
    String copy =
        Files.copy(thief, folder.resolve("thief.key"), StandardCopyOption.COPY_ATTRIBUTES)
            .toString();
    assertEquals(1, keys.revoke("thief").size());
    // The first of these runs brings the list, which lies beside its key, to the workers.
    tigris(run).expectLine("numbers 2000").outcome().expect(0);
    tigris("run", "sums.jar", "1000", "--on", "hosts:hosts.txt", "--key", copy)
        .outcome()
        .expect(ExitCode.FAILED.number());
    String told = Files.readString(folder.resolve("err"));
    assertTrue(told.contains("revoked"), told);
  }
}
