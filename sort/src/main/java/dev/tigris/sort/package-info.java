/// Sorts, checks and generates files of records of a fixed size that need not fit memory.
///
/// [SortJob][dev.tigris.sort.SortJob] sorts, [CheckJob][dev.tigris.sort.CheckJob] checks the order
/// as valsort does, and [GenerateJob][dev.tigris.sort.GenerateJob] makes gensort's records. A
/// [RecordFormat][dev.tigris.sort.RecordFormat] says how large the records are and where the key
/// lies.
///
/// ```java
/// SortJob.of(List.of(Path.of("input")), Path.of("sorted")).memory(1 << 30).run();
/// ```
@NullMarked
package dev.tigris.sort;

import org.jspecify.annotations.NullMarked;
