package dev.tigris.flow;

import org.jspecify.annotations.Nullable;

/// One step by which a flow is grown: modules and streams are made, joined, started and stopped.
/// They are the calls of *TigrisMgr* in Welsh and Culler, 2000, section 2.4, and of *RiverMgr* in
/// Welsh, 1999, section 6.3. A [FlowEngine] applies them. An operation is data: it names modules
/// and streams, and holds none.
///
/// ```
///   CreateModule   CreateStream
///        |              |
///        +-- AttachInput, AttachOutput    in any number, also later
///        |
///    SealInputs  (once, and once for each ReserveInputs)
///        |
///    Initialize -> Start ->  ... EndOutput, EndFeeds ...  -> the end, or Stop, or Drop
/// ```
public sealed interface Operation {
  /// One end of a stream: a replica of a stage, or one stream of a feed or a drain.
  ///
  /// @param name the name of the stage, the feed or the drain
  /// @param index which of them, from 0
  record End(String name, int index) {
    // Java would make these two at run time, which the start of each process would wait for.

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof End(String its, int number) && index == number && name.equals(its);
    }

    @Override
    public int hashCode() {
      return 31 * name.hashCode() + index;
    }

    @Override
    public String toString() {
      return name + "[" + index + "]";
    }
  }

  /// The things that a stream joins.
  enum Use {
    /// Two stages.
    RESERVOIR,
    /// A stage, and one of another process that sends to it.
    INBOUND,
    /// A stage, and one of another process that it sends to.
    OUTBOUND,
    /// A stage, and what comes from outside.
    FEED,
    /// A stage, and what goes outside.
    DRAIN
  }

  /// Makes a module's thread, which applies the operations on the module.
  ///
  /// @param module a replica of a stage of the engine's flow
  record CreateModule(End module) implements Operation {}

  /// Makes a stream. The module that it is attached to first opens it.
  ///
  /// @param name the stream's name, unique in the flow
  /// @param number the number by which waters name the stream, unique in the flow
  /// @param use what it joins
  /// @param reservoir the name of its reservoir, feed or drain
  /// @param from its sending end
  /// @param to its receiving end
  /// @param kind opens the stream
  /// @param window how many waters may be sent and not finished, unless the kind has a window
  record CreateStream(
      String name,
      int number,
      Use use,
      String reservoir,
      End from,
      End to,
      StreamKind kind,
      int window)
      implements Operation {}

  /// Attaches a stream to the module at its receiving end, whose input list must not be sealed.
  ///
  /// @param module the module
  /// @param stream the stream's name
  record AttachInput(End module, String stream) implements OnModule {}

  /// Attaches a stream to the module at its sending end, behind the streams of the same reservoir
  /// that it has.
  ///
  /// @param module the module
  /// @param stream the stream's name
  record AttachOutput(End module, String stream) implements OnModule {}

  /// Ends one output of a module: the module puts nothing more on that stream, and its policy
  /// chooses among the others. So a receiver leaves without a loss: it gets what was put before,
  /// and finishes.
  ///
  /// @param module the module
  /// @param stream the stream's name
  record EndOutput(End module, String stream) implements OnModule {}

  /// Takes back one reservation of inputs of a module. A new module has one. Without a reservation,
  /// its input list is sealed: no stream is attached any more, so that the end of all is the end of
  /// the module's input. A module whose list is not sealed does not finish.
  ///
  /// @param module the module
  record SealInputs(End module) implements OnModule {}

  /// Reserves inputs that are still to be attached to a module, also where its list was sealed. A
  /// program that attaches inputs reserves them first and seals afterwards, and others may do so
  /// meanwhile.
  ///
  /// @param module the module
  record ReserveInputs(End module) implements OnModule {}

  /// Requires the senders of a module that stands for a [Guest]: until then, a guest that is lost
  /// before it has given anything has ended. From now on it may have taken waters, and its loss is
  /// one. The answer is *ended* if one has been lost before, also where the module has ended.
  ///
  /// @param module the module
  record RequireSenders(End module) implements OnModule {}

  /// Makes the module by its stage's supplier, and calls its `init`.
  ///
  /// @param module the module
  record Initialize(End module) implements OnModule {}

  /// Lets an initialized module work.
  ///
  /// @param module the module
  record Start(End module) implements OnModule {}

  /// Stops a module: it takes nothing more, tells its senders so, finishes what it holds (`finish`
  /// is called), and ends its outputs.
  ///
  /// @param module the module
  record Stop(End module) implements OnModule {}

  /// Ends what comes to a module from outside: a source produces nothing more, and its feeds give
  /// nothing more, as if they had come to their ends. It takes all other inputs to their ends, and
  /// finishes then. A module may be told so before it works.
  ///
  /// @param module the module
  record EndFeeds(End module) implements OnModule {}

  /// Lets a tap copy what a module puts from now on.
  ///
  /// @param module the module
  /// @param tap the name that the engine has given the tap
  record AttachTap(End module, String tap) implements OnModule {}

  /// Drops a module: it ends at once, as by an [EndOfStreamException]. A wait of its ends, its
  /// thread is interrupted, and `finish` is not called.
  ///
  /// @param module the module
  record Drop(End module) implements OnModule {}

  /// The operations that a module's own thread applies, between two calls of the module.
  sealed interface OnModule extends Operation {
    /// Returns the module.
    End module();
  }
}
