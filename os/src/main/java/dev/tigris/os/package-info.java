/// The operating system, as the other modules of Tigris use it. Internal: the package is exported
/// to Tigris' own modules only.
///
/// - *Calls*: `LibraryFunction` calls any function of the C library; `SystemException` has its
///   errors with their words, and `NativeAccess` the option that allows it.
/// - *Files*: descriptors, locks and room on a disk (`FileDescriptors`, `DiskSpace`), permissions
///   and access lists (`FilePermissions`, `AccessLists`), and work that no interrupt cuts short.
/// - *Memory*: anonymous pages, pages of files, and files that live in memory only (`Pages`,
///   `FilePages`, `MemoryFile`, `SharedMemory`), and access to mapped memory by address.
/// - *Sockets and rings*: TCP and Unix sockets, signals (eventfd), sets of files to wait for
///   (poll), and io_uring.
/// - *Waiting*: a `Waiter` waits for several `WaitSource`s at once.
///
/// Thread rule: functions may be called by any thread. An object is used by one thread at a time,
/// unless its class says otherwise.
///
/// Linux only: access lists, memory files, Unix and TCP sockets, signals, poll sets and io_uring.
/// On another system each throws an `UnsupportedOperationException` with its name when it is first
/// asked for; pages, files and locks are there on macOS, too.
@NullMarked
package dev.tigris.os;

import org.jspecify.annotations.NullMarked;
