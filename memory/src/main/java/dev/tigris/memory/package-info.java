/// Memory outside the heap that a program manages explicitly and safely, and objects that live in
/// it.
///
/// - A [Jbuf] is a buffer: allocated, laid over a file ([Mapping]), or shared with other processes
///   ([PageKind]).
/// - A [View] is the only access to a Jbuf: [Bytes], [Ints], [Longs], [Doubles] and the others.
/// - A [Container] is a view in which objects are allocated one after the other. A [RawContainer]
///   has objects at offsets that the caller gives.
/// - A [Pso] is an object whose fields lie in a container, so that its bytes are its serialized
///   form. [PsoList], [PsoTable] and [PsoArray] hold many of them, [Utf8] is text, and a
///   [PsoCursor] visits many objects with one.
/// - The package `dev.tigris.memory.schema` describes, checks and converts containers.
///
/// ```java
/// Jbuf jbuf = Jbuf.allocate(1 << 20, "trades");
/// Container container = jbuf.asContainer();
/// PsoTable<Trade> trades = new PsoTable<>(container, Trade.class, 1000);
/// trades.add().quantity = 5;                   // written to the buffer, not to the heap
/// container.root(trades);
/// long sum = 0;
/// for (PsoCursor<Trade> each = trades.cursor(); each.next(); ) {
///   sum += each.element().quantity;
/// }
/// jbuf.unreference(Jbuf::free);                // frees it when no view or object is reachable
/// ```
///
/// **Lifetime.** Memory is neither freed nor given another type while a view of it, or an object in
/// it, is reachable. [Jbuf#unreference] claims that none is left, and the garbage collector
/// verifies the claim before the memory can be freed ([State]). Addresses are never unmapped, so a
/// late access cannot crash the process or read foreign memory. One budget bounds all Jbufs of the
/// process ([MemoryUse]).
///
/// **Threads.** Any thread may call a [Jbuf]. Views and objects are plain memory: aligned values do
/// not tear, and only `volatile` fields order accesses. One thread at a time allocates in a
/// container or adds to a list or table. A [PsoCursor] belongs to one thread.
///
/// **Classes of objects** have to be rewritten by the specializer (the Maven plugin, the command
/// `tigris specialize`, or the agent), which turns accesses to their fields into accesses to the
/// container.
///
/// **Papers.** Jbufs and their states are those of Chang, *Safe and Explicit Memory Management*,
/// PhD thesis, Cornell 1999, section 3.1. Containers and pre-serialized objects are those of Welsh,
/// *A System Supporting High-Performance Communication and I/O in Java*, MS thesis, Berkeley 1999,
/// section 5. Rewritten accesses are the Jaguar bytecode of Welsh, *Safe and Efficient Hardware
/// Specialization of Java Applications*, 2000.
@NullMarked
package dev.tigris.memory;

import org.jspecify.annotations.NullMarked;
