package dev.tigris.memory;

import dev.tigris.memory.raw.Pool;
import java.lang.ref.PhantomReference;
import org.jspecify.annotations.Nullable;

/// The memory of one [Jbuf], from the pool or over a file. It outlives a handle that nobody holds
/// any more: the reference is enqueued then, and the [Verifier] gives the memory back.
///
/// The links belong to the [Budget]'s list of live blocks, which also keeps this reference
/// reachable itself; they are guarded by the budget's lock.
final class Block extends PhantomReference<Jbuf> {
  final long bytes;
  final String owner;
  final @Nullable FileMapping file;

  /// Where it was allocated, if that was asked for.
  final @Nullable String site;

  /// How many Jbufs of the process had memory before it, this one included; 0 until it has some.
  long number;

  /// Set once before the Jbuf is handed out; 0 again when the memory was given back.
  long address;

  @Nullable Block next;
  @Nullable Block previous;

  Block(Jbuf jbuf, long bytes, String owner) {
    super(jbuf, Verifier.PROCESS.queue());
    this.bytes = bytes;
    this.owner = owner;
    this.file = null;
    this.site = AllocationSite.ofCaller();
  }

  Block(Jbuf jbuf, FileMapping file) {
    super(jbuf, Verifier.PROCESS.queue());
    this.bytes = file.bytes();
    this.owner = file.toString();
    this.file = file;
    this.site = AllocationSite.ofCaller();
    this.address = file.address();
  }

  /// What it takes of the budget. A file's pages are the operating system's to keep or to drop.
  long budgetBytes() {
    return file == null ? Pool.roundedBytes(bytes) : 0;
  }
}
