package dev.tigris.net.provider;

import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The links of a port, and which of them linger: those that the application has closed, and that
/// stay until their peers have closed, too, or are given up.
///
/// A removal puts the last link into the place that becomes free. A port that calls its links in a
/// loop, and whose links may remove themselves meanwhile, goes backwards from [#size].
///
/// Thread rule: that of the port.
///
/// *This class may still change between minor versions.*
///
/// @param <L> the provider's links
public final class LinkList<L extends Link> {
  private @Nullable Object[] links = new @Nullable Object[8];
  private int size;

  /// Those that linger, the first of them first.
  private final ArrayDeque<L> lingering = new ArrayDeque<>();

  /// Makes an empty list.
  public LinkList() {}

  /// How many there are.
  public int size() {
    return size;
  }

  /// Whether there are none.
  public boolean isEmpty() {
    return size == 0;
  }

  /// The link at an index below [#size].
  @SuppressWarnings("unchecked") // only links of this kind are added
  public L get(int index) {
    Object link = index < size ? links[index] : null;
    if (link == null) {
      throw new IndexOutOfBoundsException(
          "there is no link %d: there are %d".formatted(index, size));
    }
    return (L) link;
  }

  /// Adds a link, behind the others.
  public void add(L link) {
    if (size == links.length) {
      links = Arrays.copyOf(links, 2 * size);
    }
    links[size++] = link;
  }

  /// Removes a link, unless it is not there. What comes behind it is less by one, and the last
  /// link may be in its place.
  @SuppressWarnings("ReferenceEquality") // a link is itself
  public void remove(L link) {
    for (int i = size - 1; i >= 0; i--) {
      if (links[i] == link) {
        links[i] = links[--size];
        links[size] = null;
        break;
      }
    }
    if (link.isLingering()) {
      lingering.remove(link);
    }
  }

  /// Has a link linger that the application has closed in order.
  public void linger(L link) {
    link.startLingering();
    lingering.add(link);
  }

  /// The link that lingers for longest, if it has for so long that it is to be given up; else null.
  public @Nullable L overdue() {
    L oldest = lingering.peek();
    return oldest != null && oldest.isOverdue() ? oldest : null;
  }
}
