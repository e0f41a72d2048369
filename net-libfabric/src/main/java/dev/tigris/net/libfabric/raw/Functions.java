package dev.tigris.net.libfabric.raw;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tigris.net.libfabric.raw.Layout.Field;
import dev.tigris.net.libfabric.raw.Layout.Member;
import dev.tigris.net.libfabric.raw.Layout.Slot;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Calls through a pointer: the first argument of every handle is the function. Addresses are
/// passed as numbers, so that a call allocates nothing; the caller keeps its memory alive.
final class Functions {
  /// `int f(void *)`
  static final MethodHandle INT_1 = returningInt(JAVA_LONG);

  /// `int f(void *, void *, uint64_t)`
  static final MethodHandle INT_3 = returningInt(JAVA_LONG, JAVA_LONG, JAVA_LONG);

  /// `int f(void *, void *, void *, void *)`
  static final MethodHandle INT_4 = returningInt(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  /// `int remove(struct fid_av *, fi_addr_t *, size_t, uint64_t)`
  static final MethodHandle REMOVE = INT_4;

  /// `int control(struct fid *, int command, void *)`
  static final MethodHandle CONTROL = returningInt(JAVA_LONG, JAVA_INT, JAVA_LONG);

  /// `int insert(struct fid_av *, const void *, size_t, fi_addr_t *, uint64_t, void *)`
  static final MethodHandle INSERT =
      returningInt(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  /// `int reg(struct fid *, const void *, size_t, uint64_t access, uint64_t offset, uint64_t key,
  /// uint64_t flags, struct fid_mr **, void *)`
  static final MethodHandle REG =
      returningInt(
          JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
          JAVA_LONG);

  /// `ssize_t read(struct fid_cq *, void *, size_t)`, and `readerr`
  static final MethodHandle READ = returningLong(JAVA_LONG, JAVA_LONG, JAVA_LONG);

  /// `ssize_t sread(struct fid_cq *, void *, size_t, const void *condition, int milliseconds)`
  static final MethodHandle SREAD =
      returningLong(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);

  /// `int trywait(struct fid_fabric *, struct fid **, int count)`
  static final MethodHandle TRYWAIT = returningInt(JAVA_LONG, JAVA_LONG, JAVA_INT);

  /// `ssize_t read(struct fid_eq *, uint32_t *event, void *, size_t, uint64_t flags)`
  static final MethodHandle EVENT =
      returningLong(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  /// `ssize_t inject(struct fid_ep *, const void *, size_t, fi_addr_t)`
  static final MethodHandle INJECT = returningLong(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  /// `ssize_t recv(struct fid_ep *, void *, size_t, void *desc, fi_addr_t, void *)`, and `sendv`
  static final MethodHandle TRANSFER =
      returningLong(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  /// `ssize_t read(struct fid_ep *, void *, size_t, void *desc, fi_addr_t, uint64_t address,
  /// uint64_t key, void *)`, and `write`
  static final MethodHandle REMOTE =
      returningLong(
          JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  // SAFETY: bounds: this is all memory, and only addresses inside structures that the library has
  // returned, at the offsets of Layout, are read; lifetime: those of an object that is not closed;
  // thread: the one that owns the object.
  @SuppressWarnings("restricted")
  private static final MemorySegment EVERYTHING = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private Functions() {}

  private static MethodHandle returningInt(MemoryLayout... arguments) {
    return link(FunctionDescriptor.of(JAVA_INT, arguments));
  }

  private static MethodHandle returningLong(MemoryLayout... arguments) {
    return link(FunctionDescriptor.of(JAVA_LONG, arguments));
  }

  // SAFETY: bounds: callers pass the length of what they point to, or a structure of the size in
  // Layout; lifetime: what the library keeps until a completion, its callers do; thread: objects of
  // a domain are used by the thread that opened it.
  @SuppressWarnings("restricted")
  static MethodHandle link(FunctionDescriptor descriptor) {
    return Linker.nativeLinker().downcallHandle(descriptor);
  }

  /// The pointer at an address of the library's.
  static long pointer(long structure, Member member) {
    return EVERYTHING.get(JAVA_LONG, structure + member.offset());
  }

  static int number(long structure, Field field) {
    return EVERYTHING.get(JAVA_INT, structure + field.offset);
  }

  static void set(long structure, Field field, long value) {
    EVERYTHING.set(JAVA_LONG, structure + field.offset, value);
  }

  static void set(long structure, Field field, int value) {
    EVERYTHING.set(JAVA_INT, structure + field.offset, value);
  }

  /// The string at an address of the library's; empty if there is none.
  static String text(long address) {
    return address == 0 ? "" : EVERYTHING.getString(address);
  }

  /// Bytes of the library's.
  static MemorySegment bytes(long address, long length) {
    return EVERYTHING.asSlice(address, length);
  }

  /// The function that a table of an object names.
  static MemorySegment function(long object, Slot table, Slot function) {
    return function(pointer(pointer(object, table), function));
  }

  /// The function at an address.
  static MemorySegment function(long address) {
    return MemorySegment.ofAddress(address);
  }

  /// What to throw for what a call has thrown: the same, as far as that need not be declared.
  static RuntimeException notCalled(Throwable cause) {
    return switch (cause) {
      case RuntimeException e -> e;
      case Error e -> throw e;
      default -> new IllegalStateException("libfabric could not be called", cause);
    };
  }

  /// As [#notCalled], for a call whose result was looked at.
  static RuntimeException failed(Throwable cause) throws LibfabricException {
    if (cause instanceof LibfabricException failure) {
      throw failure;
    }
    return notCalled(cause);
  }
}
