package dev.tigris.sort;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/// The files of a sort on several hosts, of records or of lines.
///
/// @param share the inputs, and the hosts
/// @param inputs as their hosts have found them
/// @param folder for the parts, on each host
record HostWork(HostShare share, List<HostSurvey.Input> inputs, Path folder) {
  HostWork {
    inputs = List.copyOf(inputs);
  }

  /// Returns the work that was asked for, now that the hosts have told of it.
  static HostWork of(HostSurvey survey, HostSurvey.Question question) {
    HostShare share = question.share();
    return new HostWork(share, survey.inputs(share.files().size()), question.folder());
  }

  void write(DataOutputStream out) throws IOException {
    share.write(out);
    HostSurvey.Input.write(out, inputs);
    out.writeUTF(folder.toString());
  }

  static HostWork read(DataInputStream in) throws IOException {
    HostShare share = HostShare.read(in);
    List<HostSurvey.Input> inputs = HostSurvey.Input.read(in, share.files().size());
    return new HostWork(share, inputs, Path.of(in.readUTF()));
  }

  /// Returns how many processes there are.
  int processes() {
    return share.hosts().size();
  }

  /// Returns how many bytes of records or lines all inputs have.
  long bytes() {
    return inputs.stream().mapToLong(HostSurvey.Input::bytes).sum();
  }

  /// Returns the part of each of so many sorters, in their order.
  List<HostFile> parts(int sorters) {
    return share.parts(folder, sorters);
  }

  /// Returns the inputs on the host of a process.
  List<SharedInput> inputs(int process) {
    List<SharedInput> own = new ArrayList<>();
    for (int number : share.at(process)) {
      own.add(inputs.get(number).shared(share.files().get(number)));
    }
    return own;
  }

  /// Returns for each input on the host of a process how many pieces those before it have, which
  /// may lie on other hosts.
  long[] before(int process, ToLongFunction<HostSurvey.Input> pieces) {
    return share.at(process).stream()
        .mapToLong(input -> inputs.stream().limit(input).mapToLong(pieces).sum())
        .toArray();
  }
}
