/* Reads what Java wrote into a container, changes it in place, and adds a trade: the test reads it
   again. Usage: ledger FILE */
#include "ledger.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define TRADES 100
#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "line %d: %s is not so\n", __LINE__, #condition);       \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

typedef dev_tigris_cli_layout_Ledger Ledger;
typedef dev_tigris_cli_layout_Ledger_Trade Trade;

static void check(const Trade *trade, int i) {
  char symbol[16];
  int length = snprintf(symbol, sizeof symbol, "J\xc3\xa4%d", i);
  CHECK(trade->kind == i % 128);
  CHECK(trade->number == 10000000000LL * i);
  CHECK(trade->quantity == 3 * i);
  CHECK(trade->price == i / 4.0);
  CHECK(trade->fee == 0.5f * (float)i);
  CHECK(trade->register_ == 0x20ac);
  CHECK(trade->kind_Trade == -i);
  CHECK(trade->side == (i % 3 == 0   ? dev_tigris_cli_layout_Ledger_Side_BUY
                        : i % 3 == 1 ? dev_tigris_cli_layout_Ledger_Side_CANCELLED
                                     : 0));
  CHECK(trade->version == 7);
  CHECK(trade->place.x == i && trade->place.y == -i);
  CHECK(trade->levels[0] == i && trade->levels[1] == -i && trade->levels[2] == 2 * i);
  CHECK(trade->symbol_length == (uint32_t)length && memcmp(trade->symbol, symbol, length) == 0);
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  int file = open(arguments[1], O_RDWR);
  struct stat status;
  CHECK(file >= 0 && fstat(file, &status) == 0);
  uint64_t bytes = (uint64_t)status.st_size;
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(memory != MAP_FAILED);

  tigris_container *container = tigris_open(memory, bytes);
  CHECK(container != NULL);
  CHECK(container->fingerprint == dev_tigris_cli_layout_Ledger_FINGERPRINT);
  Ledger *ledger = tigris_at(container, bytes, container->root, sizeof *ledger);
  CHECK(ledger != NULL && ledger->open == 1 && ledger->behindCurrency == -1);
  CHECK(ledger->currency_length == 3 && memcmp(ledger->currency, "EUR", 3) == 0);

  tigris_table *table = tigris_at(container, bytes, ledger->trades, sizeof *table);
  CHECK(table != NULL && table->size == TRADES);
  Trade *trades = tigris_elements(container, bytes, ledger->trades, TRADES, sizeof *trades);
  CHECK(trades != NULL);
  for (int i = 0; i < TRADES; i++) {
    check(&trades[i], i);
    CHECK(tigris_element(container, bytes, ledger->trades, i, sizeof *trades) == &trades[i]);
    Trade *next = tigris_at(container, bytes, trades[i].next, sizeof *next);
    CHECK(next == (i + 1 < TRADES ? &trades[i + 1] : NULL));
  }

  tigris_array *prices = tigris_at(container, bytes, ledger->prices, sizeof *prices);
  CHECK(prices != NULL && prices->letter == 'D' && prices->length == 4);
  double *price = tigris_elements(container, bytes, ledger->prices, 4, sizeof *price);
  CHECK(price != NULL && price[0] == 0.0 && price[3] == 1.5);

  /* What does not fit is not given out. */
  uint64_t at = ledger->prices;
  CHECK(tigris_elements(container, bytes, at, bytes, sizeof *price) == NULL);
  CHECK(tigris_elements(container, bytes, at, UINT64_MAX, sizeof *price) == NULL);
  CHECK(tigris_elements(container, bytes, at, UINT64_MAX / 8 + 1, sizeof *price) == NULL);
  CHECK(tigris_elements(container, bytes, UINT64_MAX - 7, 0, sizeof *price) == NULL);
  CHECK(tigris_element(container, bytes, ledger->trades, TRADES, sizeof *trades) == NULL);
  CHECK(tigris_element(container, bytes, UINT64_MAX - 7, 0, sizeof *trades) == NULL);
  CHECK(tigris_open_grown(memory, bytes) == container);
  CHECK(tigris_at(container, bytes, bytes - 8, 16) == NULL);
  CHECK(tigris_at(container, bytes, at + 4, 8) == NULL);
  CHECK(tigris_length(6, 5) == 5 && tigris_length(UINT32_MAX, 5) == 5 && tigris_length(4, 5) == 4);

  /* Now it is our turn to write. */
  for (int i = 0; i < TRADES; i++) {
    trades[i].quantity += 1000;
    trades[i].side = dev_tigris_cli_layout_Ledger_Side_SELL;
    trades[i].symbol_length = (uint32_t)snprintf(trades[i].symbol, sizeof trades[i].symbol, "C%d", i);
  }
  price[0] = 99.5;
  uint64_t place = container->used;
  Trade *added = tigris_at(container, bytes, place, sizeof *added);
  CHECK(added != NULL);
  *added = (Trade){.number = 4711, .next = ledger->trades + sizeof *table};
  container->used = place + sizeof *added;
  tigris_list *best = tigris_at(container, bytes, ledger->best, sizeof *best);
  CHECK(best != NULL && best->size == 0 && best->capacity == 2);
  uint64_t *elements = tigris_elements(container, bytes, ledger->best, 2, sizeof *elements);
  CHECK(elements != NULL);
  elements[0] = place;
  best->size = 1;
  return munmap(memory, bytes);
}
