/* A virtual interface as the twins in C have it. net.c measures over it; a file of its own for each
   provider, such as net_tcp.c, implements it: with the provider's framing, algorithm and buffers,
   so that what differs is the language. One thread, one peer. */
#ifndef TIGRIS_NET_H
#define TIGRIS_NET_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A posted message, or memory for one: the interface's own from vi_post until vi_poll returns it. */
struct transfer {
  unsigned char *memory;
  uint32_t bytes; /* of a message; of memory its room, and when it is filled what has arrived */
  uint32_t tag;
  bool is_send;
  bool in_place; /* as memory: a message may be left where it lies */
  const unsigned char *left; /* where it lies then, until vi_give_back; else NULL */
  uint64_t progress; /* for the provider */
};

struct vi;

/* Prints what is wrong, with errno if it is set, and ends the process. */
_Noreturn void fail(const char *what);

int64_t now_nanos(void);

/* A first-in, first-out queue of transfers: as many as are ever posted one way. */
enum { QUEUE_SLOTS = 128 };

struct queue {
  struct transfer *slots[QUEUE_SLOTS];
  uint32_t head, tail;
};

static inline uint32_t queue_size(const struct queue *queue) { return queue->tail - queue->head; }

static inline struct transfer *queue_at(const struct queue *queue, uint32_t index) {
  return queue->slots[(queue->head + index) % QUEUE_SLOTS];
}

static inline void queue_add(struct queue *queue, struct transfer *transfer) {
  queue->slots[queue->tail++ % QUEUE_SLOTS] = transfer;
}

static inline struct transfer *queue_take(struct queue *queue) {
  return queue->head == queue->tail ? NULL : queue->slots[queue->head++ % QUEUE_SLOTS];
}

/* ---- what a provider implements; whatever goes wrong ends the process with fail() */

/* Listens at an address of the provider's own form, and returns the form to connect to. */
const char *vi_listen(const char *address);

/* Waits for the next peer. `tag` is what it has connected with. */
struct vi *vi_accept(uint64_t *tag);

struct vi *vi_connect(const char *address, uint64_t tag);

/* Memory for messages, of zeros. A provider that knows of better memory than any has its own. */
void *vi_allocate(size_t bytes);

void vi_free(void *memory, size_t bytes);

/* All memory of the transfers that will be posted lies in a range that was registered. */
void vi_register(struct vi *vi, void *memory, size_t bytes);

/* Adds to the queue of sends or of receives; a provider may send a message at once. */
void vi_post(struct vi *vi, struct transfer *transfer);

/* As CompletionQueue.poll: returns what was complete when a doorbell was last rung; else rings the
   doorbell if something was posted since, and looks again; else moves what can be moved, and looks
   again. NULL if there is nothing. */
struct transfer *vi_poll(struct vi *vi);

/* As Descriptor.giveBack, of a message that was left where it lies. A provider that leaves none
   there need not have it. */
void vi_give_back(struct vi *vi, struct transfer *received);

/* As Port.isMoving: whether parts of messages that are not complete have moved since this was last
   asked. A provider that moves messages as a whole need not have it. */
bool vi_is_moving(struct vi *vi);

/* Waits until there may be something to poll for, or the time is over. */
void vi_park(struct vi *vi, int64_t nanos);

/* Whether the peer has not closed. */
bool vi_is_connected(const struct vi *vi);

/* Closes in order: everything posted to be sent is complete. Frees it. */
void vi_close(struct vi *vi);

#endif
