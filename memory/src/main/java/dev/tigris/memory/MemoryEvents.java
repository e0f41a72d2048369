package dev.tigris.memory;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/// Tells Java Flight Recorder what happens to Jbufs: `dev.tigris.memory.Allocate`, `Unreference`,
/// `Verify`, `Free` and `Reclaim`.
///
/// All carry the Jbuf's number, so that a recording shows for each one how it ended; an
/// `Unreference` without a `Verify` is one whose views were not dropped. An event that nobody
/// records is an object that the compiler leaves out and a test of a flag.
///
/// The event classes are loaded when something is recorded for the first time in the process: the
/// JDK registers them then, which takes longer than all else that the first Jbuf needs. The module
/// `jdk.jfr` need not be there.
final class MemoryEvents {
  private static final boolean AVAILABLE =
      ModuleLayer.boot()
          .findModule("jdk.jfr")
          .filter(MemoryEvents.class.getModule()::canRead)
          .isPresent();

  private MemoryEvents() {}

  private static boolean isRecorderThere() {
    return AVAILABLE && FlightRecorder.isInitialized();
  }

  @Category({"Tigris", "Memory"})
  @SuppressWarnings("UnusedVariable") // the recorder reads them
  private abstract static class JbufEvent extends Event {
    @Label("Number")
    @Description("The number of the Jbuf in the process, from 1")
    long number;

    @Label("Size")
    @DataAmount
    long bytes;

    @Label("Owner")
    @Nullable String owner;

    final void commit(Block block) {
      if (shouldCommit()) {
        number = block.number;
        bytes = block.bytes;
        owner = block.owner;
        commit();
      }
    }
  }

  @Name("dev.tigris.memory.Allocate")
  @Label("Jbuf Allocation")
  private static final class Allocate extends JbufEvent {}

  @Name("dev.tigris.memory.Unreference")
  @Label("Jbuf Unreference")
  @Description("The program claims that no view is left")
  private static final class Unreference extends JbufEvent {}

  @Name("dev.tigris.memory.Verify")
  @Label("Jbuf Verification")
  @Description("The collector has found that no view is left")
  @StackTrace(false)
  private static final class Verify extends JbufEvent {}

  @Name("dev.tigris.memory.Free")
  @Label("Jbuf Free")
  private static final class Free extends JbufEvent {}

  @Name("dev.tigris.memory.Reclaim")
  @Label("Jbuf Reclamation")
  @Description("The memory of a Jbuf was reclaimed whose handle became unreachable without free()")
  @StackTrace(false)
  @SuppressWarnings("UnusedVariable")
  private static final class Reclaim extends JbufEvent {
    @Label("Allocation Site")
    @Description("With -Dtigris.memory.sites=true")
    @Nullable String site;
  }

  static void allocated(Block block) {
    if (isRecorderThere()) {
      new Allocate().commit(block);
    }
  }

  static void unreferenced(Block block) {
    if (isRecorderThere()) {
      new Unreference().commit(block);
    }
  }

  static void verified(Block block) {
    if (isRecorderThere()) {
      new Verify().commit(block);
    }
  }

  static void freed(Block block) {
    if (isRecorderThere()) {
      new Free().commit(block);
    }
  }

  static void reclaimed(Block block) {
    if (isRecorderThere()) {
      Reclaim event = new Reclaim();
      event.site = block.site;
      event.commit(block);
    }
  }
}
