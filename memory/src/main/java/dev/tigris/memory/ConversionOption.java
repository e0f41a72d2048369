package dev.tigris.memory;

/// A choice of the caller for the conversion of a file
/// ([Jbuf#map(java.nio.file.Path, Mapping, long, dev.tigris.memory.schema.Schema,
/// ConversionOption...)]).
public enum ConversionOption {
  /// The conversion may delete the fields of the file that the schema does not have, with the
  /// objects that only they lead to. Without this such a file is refused, with a list of these
  /// fields: an older version of a program would delete what a newer one has added.
  ALLOW_LOSS,

  /// The old file stays beside the new one, as `NAME.old-` and the fingerprint of its schema in 16
  /// hexadecimal digits; if there is a file of that name, with `-2`, `-3` and so on behind it.
  KEEP_OLD_FILE
}
