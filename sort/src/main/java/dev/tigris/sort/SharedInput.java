package dev.tigris.sort;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A file of the input of a sort, which several processes open.
///
/// @param path where it lies
/// @param name what messages call it
/// @param state its size and time
/// @param firstByte where its lines begin; of records, 0
record SharedInput(String path, String name, String state, long firstByte) {
  static SharedInput of(InputFile file, long firstByte) {
    Path named = file.path();
    Path everywhere = InputFile.isElsewhere(named) ? named : named.toAbsolutePath();
    return new SharedInput(everywhere.toString(), file.name(), file.state(), firstByte);
  }

  /// Opens it in another process.
  ///
  /// @param recordSize of which its size is a multiple
  /// @throws SortException if it is not the one that the sort began with
  InputFile open(int recordSize) throws SortException {
    InputFile file = new InputFile(Path.of(path), name, recordSize);
    if (file.state().equals(state)) {
      return file;
    }
    try (file) {
      throw file.changed();
    }
  }

  static void write(DataOutputStream out, List<SharedInput> all) throws IOException {
    out.writeInt(all.size());
    for (SharedInput each : all) {
      each.write(out);
    }
  }

  private void write(DataOutputStream out) throws IOException {
    out.writeUTF(path);
    out.writeUTF(name);
    out.writeUTF(state);
    out.writeLong(firstByte);
  }

  static List<SharedInput> read(DataInputStream in) throws IOException {
    List<SharedInput> all = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      all.add(new SharedInput(in.readUTF(), in.readUTF(), in.readUTF(), in.readLong()));
    }
    return all;
  }
}
