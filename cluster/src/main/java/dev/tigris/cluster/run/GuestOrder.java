package dev.tigris.cluster.run;

import dev.tigris.cluster.Reach;
import dev.tigris.flow.Guest;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/// A guest that is to take part in a run.
///
/// @param guest which reservoir it takes from, or gives to
/// @param reach where its process listens
/// @param process the process of the run, from 0, that is to have the module which stands for it
public record GuestOrder(Guest guest, Reach reach, int process) {
  void write(DataOutputStream out) throws IOException {
    write(out, guest);
    Wire.writeText(out, reach.toString());
    out.writeInt(process);
  }

  private static void write(DataOutputStream out, Guest guest) throws IOException {
    Wire.writeText(out, guest.reservoir());
    out.writeBoolean(guest.gives());
    out.writeLong(guest.program());
    out.writeLong(guest.key());
  }

  static GuestOrder read(DataInputStream in) throws IOException {
    Guest guest = new Guest(Wire.readText(in), in.readBoolean(), in.readLong(), in.readLong());
    return new GuestOrder(guest, Reach.of(Wire.readText(in)), in.readInt());
  }
}
