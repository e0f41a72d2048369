package dev.tigris.flow;

import dev.tigris.memory.Container;

/// Where a module tells results of the run: numbers that are merged over all replicas, and small
/// objects. They reach the program by [FlowRun#results], from whichever process the module ran in.
/// A static field does not: each process has its own.
///
/// A number takes a lock for each call: a module adds what it has counted in
/// [finish][Operator#finish], and not for each record.
///
/// Thread rule: any thread, until the module has ended.
public interface ModuleResults {
  /// The most bytes that the objects of one run may have in one process.
  long MOST_BYTES = 16L << 20;

  /// Adds to a number of the run, which begins at 0. An amount of 0 makes it known.
  ///
  /// @throws ArithmeticException if the sum is beyond a `long`
  /// @throws IllegalArgumentException if a number of this name is a largest or smallest one
  void add(String name, long amount);

  /// Makes a number of the run at least so large.
  ///
  /// @throws IllegalArgumentException if a number of this name is a sum or a smallest one
  void max(String name, long value);

  /// Makes a number of the run at most so large.
  ///
  /// @throws IllegalArgumentException if a number of this name is a sum or a largest one
  void min(String name, long value);

  /// Adds the objects of a container, which are copied now, to those of this name.
  ///
  /// @throws IllegalArgumentException if the objects of the run have more than 16 MiB in this
  ///     process: a drain takes more
  void put(String name, Container objects);

  /// Adds bytes, which are copied now, to those of this name. They count as objects do.
  ///
  /// @throws IllegalArgumentException if the objects and bytes of the run have more than 16 MiB in
  ///     this process: a drain takes more
  void put(String name, byte[] bytes);
}
