/// Tables of objects in the formats of Apache Arrow, which pandas, Polars, DuckDB and others read
/// and write: files (also known as Feather V2), and streams for pipes and sockets.
///
/// A row is an object of a class, and a column a field of that name. Rows are transposed into
/// columns, batch by batch.
///
/// ```java
/// ArrowRows<Trade> rows = ArrowRows.of(Trade.class);
/// rows.write(Path.of("trades.arrow"), table);
/// rows.read(Path.of("trades.arrow"), another);
/// ```
///
/// Files of any columns are read as text by [dev.tigris.memory.arrow.ArrowTextReader], and written
/// by [dev.tigris.memory.arrow.ArrowColumnWriter].
///
/// Input is not trusted: each offset and length is checked, and bytes that break the format
/// are an [dev.tigris.memory.arrow.ArrowException].
@NullMarked
package dev.tigris.memory.arrow;

import org.jspecify.annotations.NullMarked;
