package dev.tigris.memory;

import dev.tigris.memory.raw.Pool;
import dev.tigris.memory.raw.SharedPages;
import dev.tigris.os.Pages;
import dev.tigris.os.ScarceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.PhantomReference;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The memory of one [Jbuf], from the pool, over a file, or shared. It outlives a handle that
/// nobody holds any more: the reference is enqueued then, and the [Verifier] gives the memory back.
///
/// The links belong to the [Budget]'s list of live blocks, which also keeps this reference
/// reachable itself; they are guarded by the budget's lock.
final class Block extends PhantomReference<Jbuf> {
  final long bytes;
  final String owner;
  final @Nullable FileMapping file;

  /// ORDINARY where there is a file.
  final PageKind pages;

  /// Set once before the Jbuf is handed out, if other processes can be given its memory.
  @Nullable SharedPages shared;

  /// Where it was allocated, if that was asked for.
  final @Nullable String site;

  /// How many Jbufs of the process had memory before it, this one included; 0 until it has some.
  long number;

  /// Set once before the Jbuf is handed out; 0 again when the memory was given back.
  long address;

  @Nullable Block next;
  @Nullable Block previous;

  Block(Jbuf jbuf, long bytes, String owner, PageKind pages) {
    super(jbuf, Verifier.PROCESS.queue());
    this.bytes = bytes;
    this.owner = owner;
    this.pages = pages;
    this.file = null;
    this.site = AllocationSite.ofCaller();
  }

  Block(Jbuf jbuf, FileMapping file) {
    super(jbuf, Verifier.PROCESS.queue());
    this.bytes = file.bytes();
    this.owner = file.toString();
    this.pages = PageKind.ORDINARY;
    this.file = file;
    this.site = AllocationSite.ofCaller();
    this.address = file.address();
  }

  /// What it takes of the budget. A file's pages are the operating system's to keep or to drop.
  long budgetBytes() {
    if (file != null) {
      return 0;
    }
    return switch (pages) {
      case ORDINARY -> Pool.roundedBytes(bytes);
      case HUGE, LOCKED -> Pool.unitBytes(bytes);
      case SHARED -> SharedPages.roundedBytes(bytes);
    };
  }

  /// Gets its memory.
  ///
  /// @throws ScarceException if the operating system has no more at the moment
  /// @throws IOException if it refuses pages of this kind
  void take(Pool pool) throws IOException {
    switch (pages) {
      case ORDINARY -> address = some(pool.take(bytes));
      case HUGE -> {
        address = some(pool.takeUnits(bytes));
        Pages.adviseHuge(address, Pool.unitBytes(bytes), true);
      }
      case LOCKED -> address = takeLocked(pool);
      case SHARED -> {
        SharedPages made = SharedPages.create(pool, bytes);
        shared = made;
        address = made.address();
      }
    }
  }

  /// What the pool has given, if it has.
  private static long some(long address) throws ScarceException {
    if (address == 0) {
      throw new ScarceException(
          "the system has no memory or no addresses left: free some Jbufs, or allow the process more"
              + " (ulimit -v, the memory of its container)");
    }
    return address;
  }

  private long takeLocked(Pool pool) throws ScarceException {
    long units = some(pool.takeUnits(bytes));
    try {
      Pages.lock(units, Pool.unitBytes(bytes));
    } catch (Throwable e) { // whatever it is, nobody else could give them back
      giveUnits(pool, units);
      throw e;
    }
    return units;
  }

  private void giveUnits(Pool pool, long units) {
    pool.giveUnits(units, bytes, Pages.discard(units, Pool.unitBytes(bytes)));
  }

  /// Gives its memory back.
  ///
  /// @throws UncheckedIOException if it is that of a file that could not be closed
  void give(Pool pool) {
    long given = address;
    address = 0;
    if (file != null) {
      file.close();
      return;
    }
    switch (pages) {
      case ORDINARY -> pool.give(given, bytes);
      case HUGE -> {
        Pages.adviseHuge(given, Pool.unitBytes(bytes), false);
        giveUnits(pool, given);
      }
      case LOCKED -> {
        Pages.unlock(given, Pool.unitBytes(bytes));
        giveUnits(pool, given);
      }
      case SHARED -> Objects.requireNonNull(shared).close();
    }
  }
}
