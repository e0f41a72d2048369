package dev.tigris.steering;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/// An event of a run, for Flight Recorder.
@Name("dev.tigris.Run")
@Label("Run")
@Category("Tigris")
@Description("A phase, a change or a slow part of a run")
@StackTrace(false)
final class RunEvent extends Event {
  @Label("Run")
  String run = "";

  @Label("Kind")
  String kind = "";

  @Label("Text")
  String text = "";
}
