/* Reads a file of the store: sums all orders, and finds one by its number through the index.
   orders.h comes from: tigris layout store.Orders -cp target/v1/classes:target/v1/lib --c */
#include "orders.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

typedef struct { /* PsoArray of ints */
  uint64_t type;
  uint64_t length;
} array_header;

static uint64_t mix(uint64_t value) {
  uint64_t z = value + 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

int main(int count, char **arguments) {
  struct stat status;
  int file = count == 3 ? open(arguments[1], O_RDONLY) : -1;
  if (file < 0 || fstat(file, &status) != 0) return 1;
  uint64_t bytes = (uint64_t)status.st_size;
  void *memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return 1;

  tigris_container *container = tigris_open(memory, bytes);
  if (container == NULL || container->fingerprint != store_Orders_FINGERPRINT) return 2;
  store_Orders *root = tigris_at(container, bytes, container->root, sizeof *root);
  tigris_table *table = root == NULL ? NULL : tigris_at(container, bytes, root->table, sizeof *table);
  array_header *slots = root == NULL ? NULL : tigris_at(container, bytes, root->slots, sizeof *slots);
  if (table == NULL || slots == NULL || slots->length == 0) return 3;
  uint64_t size = table->size;
  uint64_t length = slots->length;
  store_Order *orders = tigris_elements(container, bytes, root->table, size, sizeof *orders);
  if (orders == NULL || root->slots > bytes - sizeof *slots) return 3;
  if (length > (bytes - root->slots - sizeof *slots) / sizeof(int32_t)) return 3;
  const int32_t *rows = (const int32_t *)(slots + 1);

  int64_t cents = 0;
  for (uint64_t i = 0; i < size; i++) cents += orders[i].cents;
  printf("%llu orders, %lld cents\n", (unsigned long long)size, (long long)cents);

  int64_t number = strtoll(arguments[2], NULL, 10);
  uint64_t slot = mix((uint64_t)number) & (length - 1);
  for (uint64_t looked = 0; looked < length; looked++, slot = (slot + 1) & (length - 1)) {
    uint64_t row = (uint32_t)rows[slot];
    if (row == 0 || row > size) break;
    store_Order *order = &orders[row - 1];
    if (order->number == number) {
      int text = (int)tigris_length(order->product_length, sizeof order->product);
      printf("%lld %.*s %d\n", (long long)number, text, order->product, order->cents);
      return 0;
    }
  }
  printf("no order %lld\n", (long long)number);
  return 0;
}
