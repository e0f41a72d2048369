package dev.tigris.net.shm;

import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.Provider;
import dev.tigris.os.NativeAccess;
import dev.tigris.os.SharedMemory;
import dev.tigris.os.SystemException;
import java.util.Optional;
import java.util.Set;

/// Processes of one host, through memory that they share. Linux on amd64 and aarch64.
public final class ShmProvider implements Provider {
  private static final Set<String> ARCHITECTURES = Set.of("amd64", "aarch64");

  @Override
  public String name() {
    return "shm";
  }

  @Override
  public Kind kind() {
    return Kind.MEMORY;
  }

  @Override
  public Optional<String> obstacle() {
    if (!System.getProperty("os.name").equals("Linux")
        || !ARCHITECTURES.contains(System.getProperty("os.arch"))) {
      return Optional.of("shm needs Linux on amd64 or aarch64: use tcp");
    }
    Optional<String> denied = NativeAccess.own().obstacle();
    if (denied.isPresent()) {
      return denied;
    }
    try {
      SharedMemory.create("tigris-trial", Channel.SMALL_BYTES).close();
      return Optional.empty();
    } catch (SystemException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    } catch (LinkageError e) {
      return Optional.of("the C library cannot be called: " + e);
    }
  }

  @Override
  public Optional<String> obstacleTo(String host) {
    return ShmAddress.obstacleTo(host);
  }

  @Override
  public Carrier open() {
    requireUsable();
    return new ShmCarrier();
  }
}
