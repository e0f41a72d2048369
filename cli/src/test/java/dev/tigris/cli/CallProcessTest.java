package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tigris.testing.Slow;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `tigris call` as a process, against a server in another one.
class CallProcessTest {
  private static final String SERVER = "dev.tigris.cli.call.StallServer";

  @TempDir Path folder;

  private int tigris(String... args) throws Exception {
    List<String> all = new ArrayList<>(List.of("call"));
    all.addAll(List.of(args));
    try (Child child =
        OwnProcess.tigris(
            folder,
            "-Dtigris.test=true",
            Redirect.to(folder.resolve("out").toFile()),
            all.toArray(String[]::new))) {
      return child.exitCode();
    }
  }

  private String out() throws Exception {
    return Files.readString(folder.resolve("out")).strip();
  }

  private String err() throws Exception {
    return Files.readString(folder.resolve("err")).strip();
  }

  @Test
  void listsDescribesAndCallsMethods() throws Exception {
    String classes = Path.of("target", "test-classes").toAbsolutePath().toString();
    try (Child server = Jvm.of(Class.forName(SERVER)).quick().command().start()) {
      String at = server.nextLine();
      assertEquals(0, tigris(at), this::said);
      assertTrue(out().contains("Results<Fruit> Market.Stall.all(int)"), out());
      assertTrue(out().contains("tigris.Health.code(text)"), out());

      assertEquals(0, tigris("stall@" + at, "Market.Stall.find", "--describe"), this::said);
      assertTrue(out().startsWith("Fruit Market.Stall.find(long)\n"), out());
      assertTrue(out().contains("weight"), out());

      assertEquals(0, tigris(at, "-cp", classes, "Market.Stall.find", "7"), this::said);
      JsonNode found = new ObjectMapper().readTree(out());
      assertEquals(7, found.get("id").asLong());
      assertEquals(0.1, found.get("weight").asDouble());
      assertEquals("SOUR", found.get("taste").asText());
      assertEquals("Äpfel 8", found.get("parts").get(0).get("name").asText());
      assertTrue(found.get("parts").get(1).isNull());
      assertEquals("[0,2,0]", found.get("sizes").toString());

      String fruit = "{'id':3,'grade':'B','name':'pear','sizes':[1,2,3],'taste':'SWEET',";
      String json = (fruit + "'parts':[{'id':4},null]}").replace('\'', '"');
      String[] echo = {at, "-cp", classes, "Market.Stall.echo", json, "2.5", "a note "};
      assertEquals(0, tigris(echo), this::said);
      assertEquals("\"pear, 2 parts, 10.5, a note SWEETB\"", out());

      assertEquals(0, tigris(at, "-cp", classes, "Market.Stall.all", "3", "--json"), this::said);
      assertEquals(2, new ObjectMapper().readTree(out()).get("results").get(2).get("id").asInt());
    }
  }

  @Test
  @Slow("six other processes")
  void saysWhatIsWrong() throws Exception {
    String classes = Path.of("target", "test-classes").toAbsolutePath().toString();
    try (Child server = Jvm.of(Class.forName(SERVER)).quick().command().start()) {
      String at = server.nextLine();
      assertEquals(6, tigris(at, "-cp", classes, "Market.Stall.refuse", "false"), this::said);
      assertTrue(err().contains("NOT_FOUND: Market.Stall.refuse: there is no such fruit"), err());
      assertEquals(2, tigris(at, "-cp", classes, "Market.Stall.find"), this::said);
      assertEquals(3, tigris(at, "-cp", classes, "Market.Stall.find", "apple"), this::said);
      assertEquals(3, tigris(at, "-cp", classes, "Nothing.find", "1"), this::said);
      assertTrue(err().contains("no interface marked @Service of the name 'Nothing'"), err());
    }
  }

  private String said() {
    try {
      return out() + "\n" + err();
    } catch (Exception e) {
      return e.toString();
    }
  }
}
