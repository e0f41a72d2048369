package dev.tigris.cli;

/// The exit codes of the command, which `tigris help exit-codes` lists.
enum ExitCode {
  OK(0, "all went well"),
  OUT_OF_ORDER(1, "check, sort -c: what was checked is not in order"),
  USAGE(2, "the command line is wrong"),
  BAD_INPUT(3, "an input is missing, cannot be read, or does not consist of whole records"),
  BAD_OUTPUT(4, "the output cannot be written: no such folder, no permission, disk full"),
  NO_MEMORY(5, "more memory is needed than --memory or the machine gives"),
  FAILED(6, "the work failed for another reason, which the message tells"),
  INTERNAL_ERROR(70, "a defect in Tigris: please report it with what --debug prints"),
  CANNOT_START(126, "no JDK, no Maven, a failed build, or too little memory for Java"),
  HUNG_UP(129, "stopped by SIGHUP: its terminal was closed"),
  INTERRUPTED(130, "stopped by Ctrl-C"),
  CRASHED(134, "Java crashed, or got no memory from the system: it names its report"),
  READER_GONE(141, "the reader of the output has gone, as after `| head`"),
  TERMINATED(143, "stopped by SIGTERM");

  private final int number;
  private final String meaning;

  ExitCode(int number, String meaning) {
    this.number = number;
    this.meaning = meaning;
  }

  int number() {
    return number;
  }

  String meaning() {
    return meaning;
  }
}
