package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a module can ask of the streams and reservoirs that it has.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class InputsTest {
  @TempDir Path folder;

  private StreamKind file(String name, String text) throws Exception {
    return FileStream.reading(Files.writeString(folder.resolve(name), text), 4);
  }

  /// Keeps the right side until the left one is complete.
  private static final class Join implements Module {
    private final List<String> seen;
    private final List<Water> early = new ArrayList<>();
    private ModuleContext context;

    Join(List<String> seen) {
      this.seen = seen;
    }

    @Override
    public void init(ModuleContext moduleContext) {
      context = moduleContext;
    }

    @Override
    public void process(Water in, Stream out) {
      if (context.from().equals("left")) {
        add("left", in);
      } else {
        in.keep();
        early.add(in);
        if (context.inputs("left").stream().allMatch(Stream::isDrained)) {
          finish(out);
        }
      }
    }

    @Override
    public void finish(Stream out) {
      for (Water water : early) {
        add("right", water);
        water.release();
      }
      early.clear();
    }

    private void add(String from, Water water) {
      byte[] text = new byte[water.size()];
      water.bytes().copyTo(0, text, 0, text.length);
      seen.add(from + " " + new String(text, StandardCharsets.UTF_8));
    }
  }

  @Test
  void joinsTwoFeedsByTheirNames() throws Exception {
    List<String> seen = new ArrayList<>();
    Numbers.run(
        Flow.named("join")
            .stage("join", () -> new Join(seen))
            .feed("join", "right", file("right", "aaaabbbb"))
            .feed("join", "left", file("left", "ccccddddeeee"))
            .build());
    assertEquals(List.of("left cccc", "left dddd", "left eeee", "right aaaa", "right bbbb"), seen);
  }

  /// Puts the texts of several files together again, though one replica gets their waters mixed.
  @Test
  void tellsTheFilesOfAFeedApart() throws Exception {
    Map<Stream, StringBuilder> texts = new LinkedHashMap<>();
    Numbers.run(
        Flow.named("files")
            .stage(
                "gather",
                () ->
                    new Module() {
                      private ModuleContext context;

                      @Override
                      public void init(ModuleContext moduleContext) {
                        context = moduleContext;
                        assertThrows(IllegalStateException.class, context::input);
                      }

                      @Override
                      public void process(Water in, Stream out) {
                        byte[] bytes = new byte[in.size()];
                        in.bytes().copyTo(0, bytes, 0, bytes.length);
                        texts
                            .computeIfAbsent(context.input(), stream -> new StringBuilder())
                            .append(new String(bytes, StandardCharsets.UTF_8));
                      }
                    })
            .feed("gather", file("one", "a long word"), file("two", "and another one"))
            .build());
    assertEquals(
        List.of("a long word", "and another one"),
        texts.values().stream().map(StringBuilder::toString).toList());
  }

  @Test
  void saysWhatAStageIsJoinedTo() throws Exception {
    var asked = new AtomicReference<ModuleContext>();
    var refusal = new AtomicReference<Exception>();
    Flow flow =
        Flow.named("asks")
            .source("count", Numbers.counting(0, 10), 3)
            .stage(
                "ask",
                () ->
                    new Module() {
                      @Override
                      public void init(ModuleContext context) {
                        asked.set(context);
                        refusal.set(
                            assertThrows(
                                IllegalArgumentException.class, () -> context.inputs("nobody")));
                      }

                      @Override
                      public void process(Water in, Stream out) {}
                    })
            .stage("even", () -> (in, out) -> {})
            .stage("odd", () -> (in, out) -> {})
            .connect("count", "ask", Reservoir.random())
            .connect("ask", "odd", Reservoir.random().withName("strange"))
            .connect("ask", "even", Reservoir.routed())
            .feed("ask", file("extra", "1234"))
            .build();
    Numbers.run(flow);
    ModuleContext context = asked.get();
    assertEquals(List.of("count", "feed"), context.inputNames());
    assertEquals(List.of("strange", "even"), context.outputNames());
    assertEquals(4, context.inputs().size());
    assertEquals(3, context.inputs("count").size());
    assertEquals(
        "stage ask has no input from nobody, only from [count, feed]", refusal.get().getMessage());
  }

  @Test
  void givesFeedsAndDrainsAWindow() throws Exception {
    FlowSnapshot snapshot =
        Numbers.run(
            Flow.named("windows")
                .stage("pass", () -> (in, out) -> out.put(in))
                .feed("pass", file("in", "1234").withWindow(3))
                .drain("pass", FileStream.writing(folder.resolve("out"), false).withWindow(5))
                .build());
    assertEquals(
        List.of(3, 5), snapshot.streams().stream().map(FlowSnapshot.Channel::window).toList());
    assertThrows(IllegalArgumentException.class, () -> StreamKind.memory().withWindow(0));
  }

  @Test
  void refusesTwoInputsOfOneName() throws Exception {
    StreamKind file = file("in", "1234");
    Flow.Builder two = Flow.named("two").stage("pass", () -> (in, out) -> {});
    two.feed("pass", file).feed("pass", file);
    assertRefused("two inputs of stage pass are called feed", two);
    assertRefused(
        "two inputs of stage pass are called count",
        Flow.named("same")
            .source("count", Numbers.counting(0, 1))
            .reservoir(Reservoir.random())
            .stage("pass", () -> (in, out) -> {})
            .feed("pass", "count", file));
    assertThrows(IllegalArgumentException.class, () -> two.feed("pass", " ", file));
  }

  private static void assertRefused(String message, Flow.Builder flow) {
    String said = assertThrows(IllegalArgumentException.class, flow::build).getMessage();
    assertTrue(said.contains(message) && said.contains("feed(stage, name, streams)"), said);
  }
}
