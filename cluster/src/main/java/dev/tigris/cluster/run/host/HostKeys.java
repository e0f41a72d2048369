package dev.tigris.cluster.run.host;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// An authority, in a folder that only its owner can enter, and the keys that it has made:
///
/// ```
///   authority.p12      its key: it need not lie on any host of a run
///   worker-HOST.key    to be moved to that host
///   coordinator.key    to be moved to where runs are started
///   revoked.crl        to be beside the keys of coordinators: runs bring it to their hosts
///   issued             all keys that were made, one a line: number, role, name, end
/// ```
///
/// Keys are made by the JDK's keytool, in a process of its own.
///
/// Thread rule: any thread; one process at a time.
public final class HostKeys {
  private static final String AUTHORITY = "authority";
  private static final String ISSUED = "issued";
  private static final int AUTHORITY_DAYS = 3653;

  /// A day before now, since clocks differ.
  private static final String START = "-1d";

  private static final SecureRandom NUMBERS = new SecureRandom();
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._:-]+");
  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*");
  private static final FileAttribute<Set<PosixFilePermission>> OWN_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<Set<PosixFilePermission>> OWN_FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path folder;

  private HostKeys(Path folder) {
    this.folder = folder;
  }

  /// A key that was made.
  ///
  /// @param number of its certificate
  /// @param role of its owner
  /// @param name of its owner
  /// @param end until when it is valid
  /// @param isRevoked whether it was revoked
  public record Issued(
      BigInteger number, HostKey.Role role, String name, Instant end, boolean isRevoked) {
    /// Returns whether it can be used no more.
    public boolean isExpired() {
      return end.isBefore(Instant.now());
    }
  }

  /// Returns the folder of keys, if no other is named: `tigris/keys` in XDG_CONFIG_HOME, which is
  /// `~/.config` by default.
  public static Path usualFolder() {
    String config = System.getenv("XDG_CONFIG_HOME");
    Path base =
        config == null || config.isEmpty() || !Path.of(config).isAbsolute()
            ? Path.of(System.getProperty("user.home"), ".config")
            : Path.of(config);
    return base.resolve("tigris").resolve("keys");
  }

  /// Returns the file of the coordinator's key in a folder of keys.
  public static Path coordinatorKey(Path folder) {
    return folder.resolve("coordinator.key");
  }

  /// Makes an authority.
  ///
  /// @throws IOException if the folder has one, or it cannot be made
  public static HostKeys init(Path folder) throws IOException {
    Path parent = folder.toAbsolutePath().getParent();
    if (parent != null) {
      Path _ = Files.createDirectories(parent);
    }
    if (!Files.isDirectory(folder)) {
      Path _ = Files.createDirectory(folder, OWN_FOLDER);
    }
    HostKey.requireOwn(folder);
    HostKeys made = new HostKeys(folder);
    if (Files.exists(made.authority())) {
      throw new IOException(
          "%s has an authority already: name another folder with --keys, or go on with this one"
              .formatted(folder));
    }
    Path place = Files.createTempDirectory(folder, ".new-");
    try {
      Path store = place.resolve("store");
      String name = "CN=Tigris authority " + Long.toHexString(NUMBERS.nextLong());
      Keytool.generate(
          store,
          List.of("-alias", AUTHORITY, "-dname", name),
          START,
          AUTHORITY_DAYS,
          List.of("bc:c", "ku:c=keyCertSign,cRLSign"));
      write(made.authority(), Files.readAllBytes(store));
    } finally {
      delete(place);
    }
    return made;
  }

  /// Opens the folder of an authority.
  ///
  /// @throws IOException if there is none, or others than its owner can enter it
  public static HostKeys open(Path folder) throws IOException {
    HostKeys keys = new HostKeys(folder);
    if (!Files.exists(keys.authority())) {
      throw new IOException(
          "%s has no authority: make one with 'tigris keys init'".formatted(folder));
    }
    HostKey.requireOwn(folder);
    HostKey.requireOwn(keys.authority());
    return keys;
  }

  private Path authority() {
    return folder.resolve("authority.p12");
  }

  private Path revoked() {
    return folder.resolve(HostKey.REVOKED);
  }

  /// Returns the list of revoked keys, which belongs beside the keys of coordinators.
  public Path revokedFile() {
    return revoked();
  }

  /// Makes the key of a host's worker.
  ///
  /// @param hosts the host by the name or address that coordinators and workers reach it by, and
  ///     its others
  /// @param days how long it is valid
  /// @return its file
  /// @throws IOException if there is one already, or it cannot be made
  public Path worker(List<String> hosts, int days) throws IOException {
    List<String> names = new ArrayList<>();
    for (String host : hosts) {
      requireName(host);
      names.add((ADDRESS.matcher(host).matches() ? "ip:" : "dns:") + host);
    }
    String host = hosts.getFirst();
    Path file = folder.resolve("worker-%s.key".formatted(host.replace(':', '_')));
    issue(file, new HostKey.Owner(host, HostKey.Role.WORKER), START, days, names);
    return file;
  }

  /// Makes the key of a coordinator.
  ///
  /// @param name tells coordinators apart; the file has it, if it is not `coordinator`
  /// @param days how long it is valid
  /// @return its file
  /// @throws IOException if there is one already, or it cannot be made
  public Path coordinator(String name, int days) throws IOException {
    requireName(name);
    Path file =
        name.equals("coordinator")
            ? coordinatorKey(folder)
            : folder.resolve("coordinator-%s.key".formatted(name));
    issue(file, new HostKey.Owner(name, HostKey.Role.COORDINATOR), START, days, List.of());
    return file;
  }

  private static void requireName(String name) throws IOException {
    if (!NAME.matcher(name).matches()) {
      throw new IOException(
          "'%s' is no name of a host: letters, digits, '.', '-', '_' and ':' are".formatted(name));
    }
  }

  /// Makes a key.
  ///
  /// @param start from when it is valid, as keytool has it
  void issue(Path file, HostKey.Owner owner, String start, int days, List<String> names)
      throws IOException {
    if (Files.exists(file)
        && HostKey.read(file).certificate().getNotAfter().toInstant().isAfter(Instant.now())) {
      throw new IOException(
          "%s is a key that is valid still: revoke it first, with 'tigris keys revoke %s'"
              .formatted(file, owner.name()));
    }
    Path place = Files.createTempDirectory(folder, ".new-");
    try {
      Path store = place.resolve("store");
      write(store, Files.readAllBytes(authority()));
      String name = "CN=%s, OU=%s, O=Tigris".formatted(owner.name(), owner.role().word());
      List<String> extensions =
          new ArrayList<>(List.of("ku:c=digitalSignature", "eku=serverAuth,clientAuth"));
      if (!names.isEmpty()) {
        extensions.add("san=" + String.join(",", names));
      }
      Keytool.generate(
          store,
          List.of("-alias", HostKey.ALIAS, "-signer", AUTHORITY, "-dname", name),
          start,
          days + 1,
          extensions);
      byte[] own = onlyKey(Files.readAllBytes(store));
      boolean _ = Files.deleteIfExists(file);
      write(file, own);
    } finally {
      delete(place);
    }
    X509Certificate made = HostKey.read(file).certificate();
    String line =
        "%s\t%s\t%s\t%s%n"
            .formatted(
                made.getSerialNumber(), owner.role(), owner.name(), made.getNotAfter().toInstant());
    Path issued = folder.resolve(ISSUED);
    if (!Files.exists(issued)) {
      write(issued, new byte[0]);
    }
    Path _ = Files.writeString(issued, line, StandardOpenOption.APPEND);
  }

  /// Returns a store with the new key alone, and not that of the authority.
  private static byte[] onlyKey(byte[] both) throws IOException {
    try {
      KeyStore all = KeyStore.getInstance("PKCS12");
      all.load(new ByteArrayInputStream(both), HostKey.PASSWORD);
      Key key = all.getKey(HostKey.ALIAS, HostKey.PASSWORD);
      KeyStore own = KeyStore.getInstance("PKCS12");
      own.load(null, null);
      own.setKeyEntry(HostKey.ALIAS, key, HostKey.PASSWORD, all.getCertificateChain(HostKey.ALIAS));
      var bytes = new ByteArrayOutputStream();
      own.store(bytes, HostKey.PASSWORD);
      return bytes.toByteArray();
    } catch (GeneralSecurityException e) {
      throw new IOException("keytool has made no key: " + e.getMessage(), e);
    }
  }

  /// Revokes all keys of a name or number that are valid, and writes the list that says so. A file
  /// of such a key in this folder is deleted.
  ///
  /// @return the keys that were revoked
  /// @throws IOException if there is none, or the list cannot be written
  public List<Issued> revoke(String nameOrNumber) throws IOException {
    List<Issued> all = list();
    List<Issued> found =
        all.stream()
            .filter(key -> !key.isRevoked() && !key.isExpired())
            .filter(
                key ->
                    key.name().equals(nameOrNumber) || key.number().toString().equals(nameOrNumber))
            .toList();
    if (found.isEmpty()) {
      throw new IOException(
          "no valid key has the name or number '%s': 'tigris keys list' lists them"
              .formatted(nameOrNumber));
    }
    List<String> words = new ArrayList<>(List.of("-gencrl", "-alias", AUTHORITY));
    for (Issued each : all) {
      if (each.isRevoked() || found.contains(each)) {
        words.add("-id");
        words.add(each.number().toString());
      }
    }
    Path place = Files.createTempDirectory(folder, ".new-");
    try {
      Path made = place.resolve(HostKey.REVOKED);
      words.addAll(List.of("-file", made.toString()));
      Keytool.run(authority(), words);
      Path _ = Files.move(made, revoked(), StandardCopyOption.ATOMIC_MOVE);
    } finally {
      delete(place);
    }
    deleteFiles(found);
    return found;
  }

  private void deleteFiles(List<Issued> revoked) throws IOException {
    List<Path> keys;
    try (Stream<Path> files = Files.list(folder)) {
      keys = files.filter(file -> file.toString().endsWith(".key")).toList();
    }
    for (Path key : keys) {
      BigInteger number = HostKey.read(key).certificate().getSerialNumber();
      if (revoked.stream().anyMatch(each -> each.number().equals(number))) {
        Files.delete(key);
      }
    }
  }

  /// Returns all keys that were made.
  public List<Issued> list() throws IOException {
    Path issued = folder.resolve(ISSUED);
    List<Issued> all = new ArrayList<>();
    if (!Files.exists(issued)) {
      return all;
    }
    Set<BigInteger> revoked = revokedNumbers();
    for (String line : Files.readAllLines(issued)) {
      String[] parts = line.split("\t", -1);
      try {
        BigInteger number = new BigInteger(parts[0]);
        all.add(
            new Issued(
                number,
                HostKey.Role.valueOf(parts[1]),
                parts[2],
                Instant.parse(parts[3]),
                revoked.contains(number)));
      } catch (RuntimeException e) {
        throw new IOException("%s is damaged: '%s' names no key".formatted(issued, line), e);
      }
    }
    return all;
  }

  private Set<BigInteger> revokedNumbers() throws IOException {
    if (!Files.exists(revoked())) {
      return Set.of();
    }
    try {
      return HostTrust.numbers(
          HostTrust.list(Files.readAllBytes(revoked()), authorityCertificate(), revoked()));
    } catch (CertificateException e) {
      throw new IOException("%s is damaged: %s".formatted(revoked(), e.getMessage()), e);
    }
  }

  private X509Certificate authorityCertificate() throws IOException {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(new ByteArrayInputStream(Files.readAllBytes(authority())), HostKey.PASSWORD);
      if (store.getCertificate(AUTHORITY) instanceof X509Certificate found) {
        return found;
      }
      throw new IOException(authority() + " has no certificate");
    } catch (GeneralSecurityException e) {
      throw new IOException("%s is damaged: %s".formatted(authority(), e.getMessage()), e);
    }
  }

  /// Writes a new file that only this user can read.
  private static void write(Path file, byte[] bytes) throws IOException {
    Path made;
    try {
      made = Files.createFile(file, OWN_FILE);
    } catch (FileAlreadyExistsException e) {
      throw new IOException(file + " exists already: another process has just made it", e);
    }
    try (OutputStream to = Files.newOutputStream(made)) {
      to.write(bytes);
    }
  }

  private static void delete(Path place) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(place)) {
      files = all.toList();
    }
    for (Path file : files) {
      Files.delete(file);
    }
    Files.delete(place);
  }
}
