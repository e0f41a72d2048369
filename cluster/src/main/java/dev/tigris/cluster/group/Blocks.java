package dev.tigris.cluster.group;

/// Data in as many blocks as there are members, none of which cuts an element.
///
/// @param bytes of all
/// @param element size of one
/// @param count how many blocks
record Blocks(long bytes, int element, int count) {
  long start(int block) {
    long elements = bytes / element;
    return (elements / count * block + Math.min(block, elements % count)) * element;
  }

  long length(int block) {
    return start(block + 1) - start(block);
  }

  long longest() {
    return length(0);
  }
}
