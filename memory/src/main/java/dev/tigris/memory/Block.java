package dev.tigris.memory;

import java.lang.ref.PhantomReference;
import org.jspecify.annotations.Nullable;

/// The memory of one [Jbuf], which outlives a handle that nobody holds any more: the reference
/// is enqueued then, and the [Verifier] gives the memory back.
///
/// The links belong to the [Budget]'s list of live blocks, which also keeps this reference
/// reachable itself; they are guarded by the budget's lock.
final class Block extends PhantomReference<Jbuf> {
  final long address;
  final long bytes;
  final String owner;

  @Nullable Block next;
  @Nullable Block previous;
  boolean live;

  Block(Jbuf jbuf, long address, long bytes, String owner) {
    super(jbuf, Verifier.PROCESS.queue());
    this.address = address;
    this.bytes = bytes;
    this.owner = owner;
  }
}
