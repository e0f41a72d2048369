package dev.tigris.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/// Reads the reports that surefire writes to `target/surefire-reports` of each module.
final class Reports {
  /// The tests of a class.
  ///
  /// @param module the module of the class
  /// @param name the class
  /// @param run how many ran, or were skipped
  /// @param seconds how long they took together
  /// @param failed those that failed, with the first line of the message
  /// @param skipped those that were skipped, with the reason
  /// @param unsteady those that failed, and passed when they were run again
  record TestClass(
      String module,
      String name,
      int run,
      double seconds,
      List<Outcome> failed,
      List<Outcome> skipped,
      List<Outcome> unsteady) {}

  /// A test that did not pass.
  ///
  /// @param test the class and the method
  /// @param reason why, in a line
  record Outcome(String test, String reason) {}

  private Reports() {}

  /// Reads the reports that were written at some time or after it.
  static List<TestClass> since(FileTime time, Checkout checkout) throws IOException {
    var classes = new ArrayList<TestClass>();
    for (Path module : checkout.modules()) {
      Path reports = module.resolve("target/surefire-reports");
      if (Files.isDirectory(reports)) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(reports, "TEST-*.xml")) {
          for (Path file : files) {
            if (Files.getLastModifiedTime(file).compareTo(time) >= 0) {
              classes.add(read(String.valueOf(module.getFileName()), file));
            }
          }
        }
      }
    }
    classes.sort(Comparator.comparing(TestClass::module).thenComparing(TestClass::name));
    return classes;
  }

  private static TestClass read(String module, Path file) throws IOException {
    XMLInputFactory factory = XMLInputFactory.newInstance();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    try (InputStream in = Files.newInputStream(file)) {
      return read(module, factory.createXMLStreamReader(in));
    } catch (XMLStreamException e) {
      throw new IOException("the report " + file + " is damaged: " + e.getMessage(), e);
    }
  }

  private static TestClass read(String module, XMLStreamReader xml) throws XMLStreamException {
    String name = "";
    String test = "";
    int run = 0;
    double seconds = 0;
    var failed = new ArrayList<Outcome>();
    var skipped = new ArrayList<Outcome>();
    var unsteady = new ArrayList<Outcome>();
    while (xml.hasNext()) {
      if (xml.next() != XMLStreamConstants.START_ELEMENT) {
        continue;
      }
      switch (xml.getLocalName()) {
        case "testsuite" -> {
          name = attribute(xml, "name");
          seconds = seconds(attribute(xml, "time"));
        }
        case "testcase" -> {
          run++;
          test = test(attribute(xml, "classname"), attribute(xml, "name"));
        }
        case "failure", "error" -> failed.add(new Outcome(test, reason(xml)));
        case "skipped" -> skipped.add(new Outcome(test, reason(xml)));
        case "flakyFailure", "flakyError" -> unsteady.add(new Outcome(test, reason(xml)));
        default -> {}
      }
    }
    return new TestClass(
        module,
        name,
        run,
        seconds,
        List.copyOf(failed),
        List.copyOf(skipped),
        List.copyOf(unsteady));
  }

  private static String test(String className, String method) {
    String simple = className.substring(className.lastIndexOf('.') + 1);
    return method.isEmpty() ? simple : simple + "." + method;
  }

  private static String reason(XMLStreamReader xml) {
    String message = attribute(xml, "message");
    String reason = message.isBlank() ? attribute(xml, "type") : message;
    return reason.strip().lines().findFirst().orElse("");
  }

  private static String attribute(XMLStreamReader xml, String name) {
    for (int index = 0; index < xml.getAttributeCount(); index++) {
      if (xml.getAttributeLocalName(index).equals(name)) {
        return xml.getAttributeValue(index);
      }
    }
    return "";
  }

  private static double seconds(String time) {
    // Surefire groups the digits of more than 999 seconds.
    return time.isEmpty() ? 0 : Double.parseDouble(time.replace(",", ""));
  }
}
