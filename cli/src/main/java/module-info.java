/// The `tigris` command.
module dev.tigris.cli {
  requires static org.jspecify;
  requires dev.tigris.memory;
  requires com.fasterxml.jackson.core;
  requires info.picocli;
}
