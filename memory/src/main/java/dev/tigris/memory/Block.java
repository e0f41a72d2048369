package dev.tigris.memory;

import dev.tigris.memory.raw.Pool;
import dev.tigris.memory.raw.SharedPages;
import java.io.IOException;
import java.lang.ref.PhantomReference;
import org.jspecify.annotations.Nullable;

/// The memory of one [Jbuf], from the pool, over a file, or shared. It outlives a handle that
/// nobody holds
/// any more: the reference is enqueued then, and the [Verifier] gives the memory back.
///
/// The links belong to the [Budget]'s list of live blocks, which also keeps this reference
/// reachable itself; they are guarded by the budget's lock.
final class Block extends PhantomReference<Jbuf> {
  final long bytes;
  final String owner;
  final @Nullable FileMapping file;

  /// Whether other processes may be given it to read.
  final boolean isShared;

  /// Set once before the Jbuf is handed out, of those that are.
  @Nullable SharedPages shared;

  /// Where it was allocated, if that was asked for.
  final @Nullable String site;

  /// How many Jbufs of the process had memory before it, this one included; 0 until it has some.
  long number;

  /// Set once before the Jbuf is handed out; 0 again when the memory was given back.
  long address;

  @Nullable Block next;
  @Nullable Block previous;

  Block(Jbuf jbuf, long bytes, String owner, boolean isShared) {
    super(jbuf, Verifier.PROCESS.queue());
    this.bytes = bytes;
    this.owner = owner;
    this.isShared = isShared;
    this.file = null;
    this.site = AllocationSite.ofCaller();
  }

  Block(Jbuf jbuf, FileMapping file) {
    super(jbuf, Verifier.PROCESS.queue());
    this.bytes = file.bytes();
    this.owner = file.toString();
    this.isShared = false;
    this.file = file;
    this.site = AllocationSite.ofCaller();
    this.address = file.address();
  }

  /// What it takes of the budget. A file's pages are the operating system's to keep or to drop.
  long budgetBytes() {
    if (file != null) {
      return 0;
    }
    return isShared ? SharedPages.roundedBytes(bytes) : Pool.roundedBytes(bytes);
  }

  /// Gets its memory: its address stays 0 where the operating system has no more.
  ///
  /// @throws IOException as [SharedPages#create] does
  void take(Pool pool) throws IOException {
    if (isShared) {
      SharedPages made = SharedPages.create(pool, bytes);
      shared = made;
      address = made.address();
    } else {
      address = pool.take(bytes);
    }
  }

  /// Gives its memory back.
  void give(Pool pool) {
    if (file != null) {
      file.close();
    } else if (shared != null) {
      shared.close();
    } else {
      pool.give(address, bytes);
    }
    address = 0;
  }
}
