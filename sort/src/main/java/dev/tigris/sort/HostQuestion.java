package dev.tigris.sort;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;

/// The question that the hosts of a sort are asked before it is planned.
interface HostQuestion {
  /// The inputs.
  HostShare share();

  /// The folder that is to have the parts.
  Path folder();

  /// Writes what [#read] reads.
  void write(DataOutputStream out) throws IOException;

  /// Answers in one process.
  void answer(int process, DataOutputStream out) throws Exception;

  /// Returns the text for other processes.
  default String text() {
    return PlanText.of(
        out -> {
          out.writeBoolean(this instanceof HostLineSurvey.Question);
          write(out);
        });
  }

  /// Reads a question.
  ///
  /// @throws IOException if the text is none
  static HostQuestion read(String text) throws IOException {
    return PlanText.read(text, HostQuestion::read);
  }

  private static HostQuestion read(DataInputStream in) throws IOException {
    return in.readBoolean() ? HostLineSurvey.Question.read(in) : HostSurvey.Question.read(in);
  }
}
