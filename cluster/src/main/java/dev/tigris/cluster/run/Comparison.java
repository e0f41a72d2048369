package dev.tigris.cluster.run;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Lets another JVM describe a flow, one that differs in all that a description must not depend on:
/// its language, its time zone, its processors, and the hash codes of objects.
final class Comparison {
  /// The word by which [Main] knows that it is to describe a flow.
  static final String DESCRIBE = "describe";

  private static final List<String> ODD =
      List.of(
          "-Duser.language=tr",
          "-Duser.country=TR",
          "-Duser.timezone=Pacific/Kiritimati",
          "-XX:+UnlockExperimentalVMOptions",
          "-XX:hashCode=0");

  private Comparison() {}

  /// Describes the flow in another JVM, and returns the fingerprint of that.
  ///
  /// @throws IOException if the JVM cannot describe it; what it prints goes to the standard error
  static Fingerprint elsewhere(CodePath code, String program, Arguments arguments)
      throws IOException {
    int processors = Runtime.getRuntime().availableProcessors();
    JavaCommand command =
        JavaCommand.ofThisProcess(1, code, false)
            .with(ODD)
            .with(List.of("-XX:ActiveProcessorCount=" + (processors == 1 ? 2 : 1)));
    Path options = Files.createTempFile("tigris", ".options"); // for this user alone
    try {
      Files.writeString(options, command.optionsFile());
      return answered(command.words(options, DESCRIBE), program, arguments);
    } finally {
      Files.deleteIfExists(options);
    }
  }

  private static Fingerprint answered(List<String> words, String program, Arguments arguments)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(words);
    JavaCommand.clean(builder.environment());
    Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      byte[] question =
          Frame.bytes(
              out -> {
                Wire.writeText(out, program);
                arguments.write(out);
              });
      try (OutputStream to = process.getOutputStream()) {
        to.write(question);
      }
      byte[] answer = process.getInputStream().readAllBytes();
      if (answer.length == 0) {
        throw new IOException("its JVM has ended without an answer: see what it has printed");
      }
      try (DataInputStream in = Frame.reading(answer)) {
        if (!in.readBoolean()) {
          throw new IOException("it throws " + Wire.readText(in));
        }
        return Fingerprint.read(in);
      }
    } finally {
      process.destroyForcibly(); // it has answered, or never will
    }
  }

  /// Describes a flow for the process that has started this one.
  static void describe(InputStream from, PrintStream to) throws IOException {
    System.setOut(System.err); // what the program prints is no answer
    System.setIn(InputStream.nullInputStream());
    byte[] question = from.readAllBytes();
    byte[] answer;
    try (DataInputStream in = Frame.reading(question)) {
      Class<? extends FlowProgram> program = Programs.load(Wire.readText(in));
      Arguments arguments = Arguments.read(in);
      Fingerprint described =
          Fingerprint.ofCode(CodePath.ofThisProcess())
              .with(arguments, Programs.describe(program, arguments));
      answer =
          Frame.bytes(
              out -> {
                out.writeBoolean(true);
                described.write(out);
              });
    } catch (Throwable e) { // a program may throw anything
      answer = Frame.bytes(out -> refuse(out, e));
    }
    to.write(answer);
    to.flush();
  }

  private static void refuse(DataOutputStream out, Throwable thrown) throws IOException {
    out.writeBoolean(false);
    Wire.writeText(out, thrown.toString());
  }
}
