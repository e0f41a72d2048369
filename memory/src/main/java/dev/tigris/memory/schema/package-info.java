/// Schemas: what the bytes of a container mean, and how containers of one schema become those of
/// another.
///
/// A [dev.tigris.memory.schema.Schema] is derived from the class of a container's root. A container
/// that is told its schema keeps it, so that a later program can see what differs from its own.
/// Such a container is then refused, with the fields that differ in the message
/// ([dev.tigris.memory.schema.SchemaException]), or converted by a
/// [dev.tigris.memory.schema.Conversion], which copies the objects into an empty container of the
/// new schema. The checks of a conversion are those of
/// [dev.tigris.memory.schema.Schema#validate], which a program calls on containers that come from
/// somewhere else.
///
/// ```java
/// Schema schema = Schema.of(Catalog.class);
/// Container container = Jbuf.map(file, Mapping.DURABLE, size, schema).asContainer();
/// schema.validate(container);
/// Catalog catalog = container.root(Catalog.class);
/// ```
///
/// Reads of fields never look at a schema: a container is converted as a whole or not at all.
///
/// Thread rule: schemas are immutable. For the rest, the rule of the container holds.
@NullMarked
package dev.tigris.memory.schema;

import org.jspecify.annotations.NullMarked;
