// Over 400 lines: the twin of a package has one file.
/* The twin of dev.tigris.net.shm, which it can talk to: RingWriter, RingReader, Lender, Borrower,
   Bell, Outgoing, Incoming, ShmLink and ShmPort, line by line where that means anything. What a
   hostile peer can do is checked as there. One link to a port, so its rings are large, and so must
   those of the other side be. */
#include "net.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
  SLOTS = 128, /* Ring */
  INLINE_BYTES = 112,
  DATA_BYTES = 1 << 21, /* LARGE_DATA */
  PART_BYTES = 1 << 13,
  SLOTS_AT_ONCE = SLOTS / 4,
  DATA_AT_ONCE = DATA_BYTES / 4,
  LEAST_FETCHED_BYTES = 1 << 11,
  FETCHED_AT_ONCE = 1 << 10,
  LINE_BYTES = 64,
  MOST_PARTS = SLOTS / 2, /* Outgoing, Incoming */
  CALLS_BETWEEN_CLOCKS = 16, /* ShmPort */
  MOST_PACKETS = 16,
  LENT_PART_BYTES = 1 << 16,
  LENT_AT_ONCE = 1 << 16, /* Ring */
  MOST_LOANS = 64, /* Loan */
  MOST_LOAN_BYTES = 1 << 30,
  LEAST_LOAN_BYTES = 4096,
  LOAN_LENT = 2,
  LOAN_TAKEN_BACK = 3,
  LOAN_PACKET_BYTES = 8,
  LOOKS = 8,
  LOOK_NANOS = 10000000,
  HELLO_BYTES = 32,
  MESSAGE = 1,
  GOODBYE = 2,
  CONTINUED = 3,
  LENT = 4,
  MOST_TYPES = 9,
  INTS = 4,
  LARGEST_BYTES = 1 << 30
};

struct slot {
  uint64_t length_and_tag;
  _Atomic uint64_t kind_and_sequence;
  unsigned char payload[INLINE_BYTES];
};

struct lent {
  uint64_t loan, offset; /* the payload of a slot of kind LENT */
};

struct ring {
  _Alignas(128) _Atomic uint64_t freed;
  _Atomic uint64_t withdrawn;
  _Alignas(128) struct slot slots[SLOTS];
  unsigned char data[DATA_BYTES];
};

struct word {
  _Alignas(128) _Atomic uint32_t sleeps;
};

struct channel {
  struct word words[2];
  struct ring rings[2]; /* from the side that has connected, and to it */
};

enum { CHANNEL_BYTES = (sizeof(struct channel) + 4095) / 4096 * 4096 };

_Static_assert(sizeof(struct ring) == 2113664, "the layout of Ring");
_Static_assert(sizeof(struct channel) == 4227584, "the layout of Channel");

struct writer {
  struct ring *ring;
  uint64_t data_ends[SLOTS];
  uint64_t used, data_end, freed, data_freed, fetch_from, fetch_to;
};

struct reader {
  struct ring *ring;
  uint64_t read, data_end, freed, data_freed, kind_and_sequence;
  uint64_t owed_bytes;
  bool lent, owes;
  bool left[SLOTS];
  uint64_t data_before[SLOTS];
  uint64_t oldest_left, data_before_left;
};

/* Lender: of what vi_allocate has made, and vi_register was told of. */
struct loan {
  unsigned char *memory;
  size_t bytes;
  uint32_t number;
};

/* Borrower. */
struct borrowed {
  const unsigned char *memory;
  size_t bytes;
  uint32_t number;
  uint32_t left;
};

/* A file in memory that vi_allocate has made. */
struct shared {
  unsigned char *memory;
  size_t bytes;
  int file;
};

enum stage { HEADER, WAITING, FILLING };

struct hello {
  char magic[8];
  uint32_t version, answer;
  uint64_t tag, maximum_bytes;
};

struct vi {
  int socket;
  bool connected, unrung, changed, waited_for_sockets, moving, may_fetch;
  struct queue sends, receives, complete;
  uint32_t rung_tail; /* CompletionQueue */
  struct channel *channel;
  _Atomic uint32_t *own_word, *peer_word;
  struct writer out;
  struct reader in;
  struct loan loans[MOST_LOANS];
  struct borrowed borrowed[MOST_LOANS];
  uint64_t lent_bytes, borrowed_bytes;
  uint32_t handed_over;
  const unsigned char *lent;
  struct borrowed *lent_from;
  struct borrowed *left_in[SLOTS];
  enum stage stage;
  uint32_t length, tag, type;
  uint64_t taken;
  uint32_t calls;
  int64_t looked_at;
};

static int listening = -1;
static struct shared all_shared[MOST_LOANS];

static _Noreturn void breach(const char *what) {
  errno = 0;
  fail(what);
}

/* ---- Ring */

static struct slot *slot_of(struct ring *ring, uint64_t n) { return &ring->slots[n & (SLOTS - 1)]; }

static uint64_t begin_of(uint64_t end, uint32_t bytes) {
  uint64_t in_lap = end & (DATA_BYTES - 1);
  return in_lap + bytes > DATA_BYTES ? end - in_lap + DATA_BYTES : end;
}

static uint64_t end_of(uint64_t begin, uint32_t bytes) {
  return begin + ((bytes + UINT64_C(63)) & ~UINT64_C(63));
}

static uint32_t part_of(uint64_t left) { return left < PART_BYTES ? (uint32_t)left : PART_BYTES; }

/* ---- RingWriter */

static bool has_room(const struct writer *out, uint64_t end) {
  return out->used - out->freed < SLOTS - 1 && end - out->data_freed <= DATA_BYTES;
}

static bool look_what_is_free(struct writer *out) {
  uint64_t now = atomic_load_explicit(&out->ring->freed, memory_order_acquire);
  if (now == out->freed) {
    return false;
  }
  if (now < out->freed || now > out->used) {
    breach("slots were given back that were not used");
  }
  out->freed = now;
  out->data_freed = out->data_ends[(now - 1) & (SLOTS - 1)];
  return true;
}

static void publish(struct writer *out, struct slot *slot, uint64_t end, uint32_t kind) {
  uint64_t sequence = (uint32_t)(out->used + 1);
  out->data_ends[out->used & (SLOTS - 1)] = end;
  out->data_end = end;
  out->used++;
  atomic_store_explicit(&slot->kind_and_sequence, kind | sequence << 32, memory_order_release);
}

static void expect(struct writer *out, uint64_t bytes) {
  uint32_t part = part_of(bytes);
  out->fetch_from = begin_of(out->data_end, part);
  out->fetch_to = part < LEAST_FETCHED_BYTES ? out->fetch_from : out->fetch_from + part;
}

static bool fetch(struct writer *out) {
  uint64_t to = out->fetch_from + FETCHED_AT_ONCE;
  to = to < out->fetch_to ? to : out->fetch_to;
  if (out->fetch_from >= to || !has_room(out, to)) {
    return false;
  }
  for (; out->fetch_from < to; out->fetch_from += LINE_BYTES) {
    *(volatile uint64_t *)(out->ring->data + (out->fetch_from & (DATA_BYTES - 1))) = 0;
  }
  return out->fetch_from < out->fetch_to;
}

static bool write_part(struct writer *out, struct transfer *message) {
  uint64_t from = message->progress;
  bool in_slot = message->bytes <= INLINE_BYTES;
  uint32_t bytes = part_of(message->bytes - from);
  uint64_t begin = begin_of(out->data_end, in_slot ? 0 : bytes);
  uint64_t end = end_of(begin, in_slot ? 0 : bytes);
  if (!has_room(out, end) && !(look_what_is_free(out) && has_room(out, end))) {
    return false;
  }
  struct slot *slot = slot_of(out->ring, out->used);
  unsigned char *at = in_slot ? slot->payload : out->ring->data + (begin & (DATA_BYTES - 1));
  memcpy(at, message->memory + from, bytes);
  message->progress = from + bytes;
  if (from == 0) {
    slot->length_and_tag = message->bytes | (uint64_t)message->tag << 32;
    publish(out, slot, end, MESSAGE | INTS << 8);
  } else {
    publish(out, slot, end, CONTINUED);
  }
  if (!in_slot) {
    expect(out, message->bytes);
  }
  return true;
}

static bool lend(struct writer *out, struct transfer *message, const struct loan *loan) {
  if (!has_room(out, out->data_end) &&
      !(look_what_is_free(out) && has_room(out, out->data_end))) {
    return false;
  }
  struct slot *slot = slot_of(out->ring, out->used);
  struct lent where = {loan->number, (uint64_t)(message->memory - loan->memory)};
  memcpy(slot->payload, &where, sizeof where);
  slot->length_and_tag = message->bytes | (uint64_t)message->tag << 32;
  message->progress = ~out->used;
  publish(out, slot, out->data_end, LENT | INTS << 8);
  return true;
}

static bool has_taken(struct writer *out, const struct transfer *message) {
  int64_t use = (int64_t)~message->progress;
  return use < (int64_t)out->freed || (look_what_is_free(out) && use < (int64_t)out->freed);
}

static void withdraw(struct writer *out) {
  atomic_store_explicit(&out->ring->withdrawn, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
}

static void write_goodbye(struct writer *out) {
  struct slot *slot = slot_of(out->ring, out->used);
  slot->length_and_tag = 0;
  publish(out, slot, out->data_end, GOODBYE);
}

/* ---- RingReader */

static uint32_t sequence_before(const struct reader *in) {
  return in->read < SLOTS ? 0 : (uint32_t)(in->read - SLOTS + 1);
}

static bool look(struct reader *in) {
  uint64_t word = atomic_load_explicit(
      &slot_of(in->ring, in->read)->kind_and_sequence, memory_order_acquire);
  uint32_t sequence = (uint32_t)(word >> 32);
  if (sequence == (uint32_t)(in->read + 1)) {
    in->kind_and_sequence = word;
    return true;
  }
  if (sequence != sequence_before(in)) {
    breach("a slot has another sequence");
  }
  return false;
}

static bool sees_more(const struct reader *in) {
  uint64_t word = atomic_load_explicit(
      &slot_of(in->ring, in->read)->kind_and_sequence, memory_order_acquire);
  return (uint32_t)(word >> 32) != sequence_before(in);
}

static uint32_t take_part(
    struct reader *in, uint32_t length, uint64_t from, struct transfer *into) {
  if (from > 0 && (uint32_t)in->kind_and_sequence != CONTINUED) {
    breach("another kind in the middle of a message");
  }
  bool in_slot = length <= INLINE_BYTES;
  uint32_t bytes = part_of(length - from);
  uint64_t begin = begin_of(in->data_end, in_slot ? 0 : bytes);
  const unsigned char *at = in_slot ? slot_of(in->ring, in->read)->payload
                                    : in->ring->data + (begin & (DATA_BYTES - 1));
  memcpy(into->memory + from, at, bytes);
  in->data_end = end_of(begin, in_slot ? 0 : bytes);
  in->read++;
  return bytes;
}

static void keep(struct reader *in) {
  uint32_t index = in->read % SLOTS;
  in->left[index] = true;
  in->data_before[index] = in->data_end;
  if (in->oldest_left == UINT64_MAX) {
    in->oldest_left = in->read;
    in->data_before_left = in->data_end;
  }
}

static const unsigned char *leave(struct reader *in, uint32_t length) {
  bool in_slot = length <= INLINE_BYTES;
  uint64_t begin = begin_of(in->data_end, in_slot ? 0 : length);
  const unsigned char *at = in_slot ? slot_of(in->ring, in->read)->payload
                                    : in->ring->data + (begin & (DATA_BYTES - 1));
  keep(in);
  in->data_end = end_of(begin, in_slot ? 0 : length);
  in->read++;
  return at;
}

static void release(struct reader *in, uint64_t use) {
  in->left[use % SLOTS] = false;
  in->owes = true;
  if (use == in->oldest_left) {
    uint64_t next = use + 1;
    while (next < in->read && !in->left[next % SLOTS]) {
      next++;
    }
    in->oldest_left = next < in->read ? next : UINT64_MAX;
    in->data_before_left = next < in->read ? in->data_before[next % SLOTS] : UINT64_MAX;
  }
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static bool give_all_back(struct reader *in) {
  in->owes = false;
  in->owed_bytes = 0;
  uint64_t now = least(in->read, in->oldest_left);
  if (now == in->freed) {
    return false;
  }
  in->freed = now;
  in->data_freed = least(in->data_end, in->data_before_left);
  atomic_store_explicit(&in->ring->freed, in->freed, memory_order_release);
  return true;
}

static bool give_back(struct reader *in) {
  if (least(in->read, in->oldest_left) - in->freed < SLOTS_AT_ONCE &&
      least(in->data_end, in->data_before_left) - in->data_freed < DATA_AT_ONCE) {
    return false;
  }
  return give_all_back(in);
}

static bool give_lent_back(struct reader *in) { return in->owes && give_all_back(in); }

/* Sends a packet, and a file with it, unless that is -1; returns whether it was sent. */
static bool send_packet(int socket, void *packet, size_t bytes, int file, int flags) {
  struct iovec part = {packet, bytes};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (file >= 0) {
    memcpy(CMSG_DATA(&control.header), &file, sizeof file);
    message.msg_control = &control;
    message.msg_controllen = CMSG_LEN(sizeof(int));
  }
  return sendmsg(socket, &message, flags) == (ssize_t)bytes;
}

/* Takes a packet, and the file that came with it, or -1; returns its length as recvmsg does. */
static ssize_t take_packet(int socket, void *packet, size_t bytes, int *file, int flags) {
  struct iovec part = {packet, bytes};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control = {0};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t n = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
  *file = -1;
  if (n > 0 && message.msg_controllen >= CMSG_LEN(sizeof *file) &&
      control.header.cmsg_type == SCM_RIGHTS) {
    memcpy(file, CMSG_DATA(&control.header), sizeof *file);
  }
  return n;
}

/* ---- SharedPages */

void *vi_allocate(size_t bytes) {
  struct shared *made = all_shared;
  while (made->memory != NULL) {
    if (++made == all_shared + MOST_LOANS) {
      breach("too many buffers");
    }
  }
  bytes = (bytes + 4095) & ~(size_t)4095;
  int file = memfd_create("tigris-shared", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0 || fallocate(file, 0, 0, (off_t)bytes) != 0) {
    fail("shared memory");
  }
  unsigned char *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE;
  if (memory == MAP_FAILED || fcntl(file, F_ADD_SEALS, seals) != 0) {
    fail("shared memory");
  }
  *made = (struct shared){memory, bytes, file};
  return memory;
}

void vi_free(void *memory, size_t bytes) {
  (void)bytes;
  for (int i = 0; i < MOST_LOANS; i++) {
    if (all_shared[i].memory == memory) {
      munmap(memory, all_shared[i].bytes);
      close(all_shared[i].file);
      all_shared[i] = (struct shared){0};
    }
  }
}

/* ---- Lender */

static const struct shared *shared_at(const unsigned char *memory) {
  for (int i = 0; i < MOST_LOANS; i++) {
    const struct shared *each = &all_shared[i];
    if (memory >= each->memory && memory < each->memory + each->bytes) {
      return each;
    }
  }
  return NULL;
}

/* The loan that a message lies in; NULL if there is none. */
static const struct loan *loan_of(const struct vi *vi, const struct transfer *message) {
  for (int i = 0; i < MOST_LOANS && vi->loans[i].bytes > 0; i++) {
    const struct loan *each = &vi->loans[i];
    if (message->memory >= each->memory && message->memory < each->memory + each->bytes) {
      return each;
    }
  }
  return NULL;
}

/* ---- Borrower */

static void borrow(struct vi *vi, uint32_t number, int file) {
  struct borrowed *to = &vi->borrowed[number % MOST_LOANS];
  int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE;
  off_t bytes = lseek(file, 0, SEEK_END);
  if (file < 0 || to->memory != NULL || (fcntl(file, F_GET_SEALS) & seals) != seals || bytes <= 0 ||
      (uint64_t)bytes > MOST_LOAN_BYTES - vi->borrowed_bytes) {
    breach("a loan that cannot be");
  }
  if (fallocate(file, 0, 0, bytes) != 0) {
    fail("a loan");
  }
  void *memory = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
  if (memory == MAP_FAILED) {
    fail("a loan");
  }
  close(file);
  *to = (struct borrowed){memory, (size_t)bytes, number, 0};
  vi->borrowed_bytes += (uint64_t)bytes;
}

static void give_loan_back(struct vi *vi, uint32_t number) {
  struct borrowed *from = &vi->borrowed[number % MOST_LOANS];
  if (from->memory == NULL || from->number != number || from->left > 0 ||
      (vi->lent >= from->memory && vi->lent < from->memory + from->bytes)) {
    breach("a loan is taken back that there is not");
  }
  vi->borrowed_bytes -= from->bytes;
  munmap((void *)from->memory, from->bytes);
  *from = (struct borrowed){0};
}

/* Takes the packets that have come; returns whether there were any. */
static bool hear(struct vi *vi) {
  vi->waited_for_sockets = false;
  vi->looked_at = now_nanos();
  for (int i = 0; i < MOST_PACKETS; i++) {
    uint32_t packet[16];
    int file;
    ssize_t n = take_packet(vi->socket, packet, sizeof packet, &file, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
      return i > 0;
    }
    if (n <= 0) {
      if (!sees_more(&vi->in)) {
        breach("the peer is gone without a goodbye");
      }
      return i > 0;
    }
    if (n == LOAN_PACKET_BYTES && packet[0] == LOAN_LENT) {
      borrow(vi, packet[1], file);
    } else if (n == LOAN_PACKET_BYTES && packet[0] == LOAN_TAKEN_BACK) {
      give_loan_back(vi, packet[1]);
    } else if (file >= 0) {
      close(file);
    }
    if (n == 1) {
      return true; /* a nudge: there is one for each sleep */
    }
  }
  return true;
}

/* Finds the memory that a message lies in. */
static void find_lent(struct vi *vi) {
  struct lent where;
  memcpy(&where, slot_of(vi->in.ring, vi->in.read)->payload, sizeof where);
  struct borrowed *from = &vi->borrowed[where.loan % MOST_LOANS];
  for (int i = 0; (from->memory == NULL || from->number != where.loan) && i < MOST_LOANS; i++) {
    if (!hear(vi)) {
      breach("a message in a loan that there is not");
    }
  }
  if (from->memory == NULL || from->number != where.loan || where.offset > from->bytes ||
      vi->length > from->bytes - where.offset) {
    breach("a message outside of its loan");
  }
  vi->lent = from->memory + where.offset;
  vi->lent_from = from;
}

/* ---- Outgoing, Incoming and ShmLink */

static void nudge(struct vi *vi) {
  char packet = 1;
  send(vi->socket, &packet, 1, MSG_DONTWAIT | MSG_NOSIGNAL); /* no room: it wakes up anyway */
}

static void wake_peer(struct vi *vi) {
  if (!vi->changed) {
    return;
  }
  vi->changed = false;
  atomic_thread_fence(memory_order_seq_cst);
  if (atomic_load_explicit(vi->peer_word, memory_order_acquire) != 0 &&
      atomic_exchange(vi->peer_word, 0) != 0) {
    nudge(vi);
  }
}

static void complete_taken(struct vi *vi) {
  while (vi->handed_over > 0 && has_taken(&vi->out, queue_at(&vi->sends, 0))) {
    vi->handed_over--;
    queue_add(&vi->complete, queue_take(&vi->sends));
  }
}

static bool write_message(struct vi *vi, struct transfer *next) {
  const struct loan *loan = next->bytes < LEAST_LOAN_BYTES ? NULL : loan_of(vi, next);
  if (loan != NULL) {
    if (!lend(&vi->out, next, loan)) {
      return false;
    }
    vi->handed_over++;
    vi->moving = true;
    return true;
  }
  if (!write_part(&vi->out, next)) {
    return false;
  }
  vi->may_fetch |= next->bytes >= LEAST_FETCHED_BYTES;
  if (next->progress < next->bytes) {
    vi->moving = true;
  } else if (vi->handed_over == 0) {
    queue_add(&vi->complete, queue_take(&vi->sends));
  } else {
    vi->handed_over++;
  }
  return true;
}

static bool send_at_once(struct vi *vi, struct transfer *message) {
  if (message->bytes >= LEAST_LOAN_BYTES || !write_part(&vi->out, message)) {
    return false;
  }
  vi->may_fetch |= message->bytes >= LEAST_FETCHED_BYTES;
  vi->changed = true;
  queue_add(&vi->complete, message);
  return true;
}

static void send_parts(struct vi *vi) {
  for (int parts = 0; parts < MOST_PARTS; parts++) {
    complete_taken(vi);
    if (queue_size(&vi->sends) == vi->handed_over ||
        !write_message(vi, queue_at(&vi->sends, vi->handed_over))) {
      return;
    }
    vi->changed = true;
  }
}

/* Decides whether the message is to be taken. */
static bool decide(struct vi *vi) {
  vi->stage = queue_size(&vi->receives) == 0 ? WAITING : FILLING;
  if (vi->stage == FILLING && vi->length > queue_at(&vi->receives, 0)->bytes) {
    breach("a message is too long");
  }
  return vi->stage == FILLING;
}

/* Takes the header, if that is what comes next; returns whether there is a part to take. */
static bool begin(struct vi *vi) {
  if (vi->stage != HEADER) {
    return true;
  }
  uint64_t length_and_tag = slot_of(vi->in.ring, vi->in.read)->length_and_tag;
  uint32_t kind = (uint32_t)vi->in.kind_and_sequence;
  vi->length = (uint32_t)length_and_tag;
  vi->tag = (uint32_t)(length_and_tag >> 32);
  if (kind == GOODBYE) {
    vi->connected = false;
    return false;
  }
  vi->type = kind >> 8;
  vi->in.lent = (kind & 0xff) == LENT;
  if (((kind & 0xff) != MESSAGE && !vi->in.lent) || vi->type >= MOST_TYPES || vi->length > LARGEST_BYTES) {
    breach("a slot of an unknown kind");
  }
  vi->taken = 0;
  if (vi->in.lent) {
    find_lent(vi);
  }
  return decide(vi);
}

static void refuse_what_is_withdrawn(const struct vi *vi) {
  atomic_thread_fence(memory_order_acquire);
  if (atomic_load_explicit(&vi->in.ring->withdrawn, memory_order_relaxed) != 0) {
    breach("the peer has ended the connection while a message of it was read");
  }
}

/* Takes the next part of a message in lent memory; gives its slot back after the last one. */
static void take_lent(struct vi *vi, struct transfer *into) {
  uint64_t left = vi->length - vi->taken;
  uint64_t bytes = left < LENT_PART_BYTES ? left : LENT_PART_BYTES;
  memcpy(into->memory + vi->taken, vi->lent + vi->taken, bytes);
  vi->taken += bytes;
  if (vi->taken < vi->length) {
    return;
  }
  refuse_what_is_withdrawn(vi);
  vi->lent = NULL;
  vi->in.read++;
  vi->in.owes = true;
  vi->in.owed_bytes += vi->length;
  vi->changed |= vi->in.owed_bytes >= LENT_AT_ONCE && give_lent_back(&vi->in);
}

/* Leaves the message where it lies. */
static void leave_message(struct vi *vi, struct transfer *into) {
  struct reader *in = &vi->in;
  into->progress = in->read;
  if (in->lent) {
    refuse_what_is_withdrawn(vi);
    into->left = vi->lent;
    vi->left_in[in->read % SLOTS] = vi->lent_from;
    vi->lent_from->left++;
    vi->lent = NULL;
    keep(in);
    in->read++;
  } else {
    into->left = leave(in, vi->length);
  }
  vi->taken = vi->length;
}

void vi_give_back(struct vi *vi, struct transfer *received) {
  struct borrowed **from = &vi->left_in[received->progress % SLOTS];
  bool was_lent = *from != NULL;
  release(&vi->in, received->progress);
  if (was_lent) {
    (*from)->left--;
    *from = NULL;
  }
  received->left = NULL;
  vi->unrung = true;
  if (was_lent) {
    refuse_what_is_withdrawn(vi);
  }
}

static void take_parts(struct vi *vi) {
  for (int parts = 0; parts < MOST_PARTS; parts++) {
    if (vi->stage == WAITING ? !decide(vi) : !(look(&vi->in) && begin(vi))) {
      return;
    }
    struct transfer *into = queue_at(&vi->receives, 0);
    if (into->in_place && (vi->in.lent || vi->length <= PART_BYTES)) {
      leave_message(vi, into);
    } else if (vi->in.lent) {
      take_lent(vi, into);
    } else {
      vi->taken += take_part(&vi->in, vi->length, vi->taken, into);
      vi->changed |= give_back(&vi->in);
    }
    if (vi->taken == vi->length) {
      queue_take(&vi->receives);
      into->bytes = vi->length;
      into->tag = vi->tag;
      queue_add(&vi->complete, into);
      vi->stage = HEADER;
    } else {
      vi->moving = true;
    }
  }
}

static void receive_parts(struct vi *vi) {
  take_parts(vi);
  vi->changed |= give_lent_back(&vi->in);
}

/* ---- ShmPort */

static bool may_progress(const struct vi *vi) {
  return sees_more(&vi->in) || queue_size(&vi->sends) > 0 || vi->stage == WAITING;
}

static void move(struct vi *vi) {
  send_parts(vi);
  receive_parts(vi);
  wake_peer(vi);
}

/* Looks again and again, with a pause before each. */
static bool sees_more_soon(const struct reader *in) {
  for (int looks = 0; looks < LOOKS; looks++) {
    __builtin_ia32_pause();
    if (sees_more(in)) {
      return true;
    }
  }
  return false;
}

static void progress(struct vi *vi) {
  if (vi->waited_for_sockets || (++vi->calls % CALLS_BETWEEN_CLOCKS == 0 &&
                                 now_nanos() - vi->looked_at > LOOK_NANOS)) {
    hear(vi);
  }
  if (may_progress(vi)) {
    move(vi);
  } else if (vi->may_fetch) {
    vi->may_fetch = fetch(&vi->out);
  } else if (sees_more_soon(&vi->in)) {
    move(vi);
  }
}

/* ---- connections */

static socklen_t name(const char *address, struct sockaddr_un *name) {
  *name = (struct sockaddr_un){.sun_family = AF_UNIX};
  int length = snprintf(
      name->sun_path + 1, sizeof name->sun_path - 1, "tigris/%u/%s", geteuid(), address);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static int open_socket(void) { return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0); }

const char *vi_listen(const char *address) {
  static char any[32];
  if (strcmp(address, "*") == 0) {
    snprintf(any, sizeof any, "twin-%d", getpid());
    address = any;
  }
  struct sockaddr_un own;
  socklen_t length = name(address, &own);
  listening = open_socket();
  if (bind(listening, (struct sockaddr *)&own, length) != 0 || listen(listening, 16) != 0) {
    fail(address);
  }
  return address;
}

/* Sends a greeting, and a file with it, unless that is -1. */
static void greet(int socket, uint32_t answer, uint64_t tag, int file) {
  struct hello hello = {"TIGRISVI", 1, answer, tag, LARGEST_BYTES};
  if (!send_packet(socket, &hello, HELLO_BYTES, file, 0)) {
    fail("greet");
  }
}

/* Returns the file that came with the greeting, or -1. */
static int read_greeting(int socket, uint32_t answer, uint64_t *tag) {
  struct hello hello;
  int file;
  if (take_packet(socket, &hello, HELLO_BYTES, &file, 0) != HELLO_BYTES ||
      memcmp(hello.magic, "TIGRISVI", 8) != 0 || hello.version != 1 || hello.answer != answer) {
    breach("greeting");
  }
  *tag = hello.tag;
  return file;
}

/* Maps the memory of a connection, which has its size for good. */
static struct channel *map_channel(int file) {
  int seals = F_SEAL_SHRINK | F_SEAL_GROW;
  if ((fcntl(file, F_GET_SEALS) & seals) != seals || lseek(file, 0, SEEK_END) != CHANNEL_BYTES) {
    breach("the memory is not as it must be");
  }
  void *memory =
      mmap(NULL, CHANNEL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  if (memory == MAP_FAILED) {
    fail("mmap");
  }
  return memory;
}

/* Both sides have mapped it: nobody can take pages out of it any more. */
static void keep_and_close(int file) {
  int seals = F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
  if (((fcntl(file, F_GET_SEALS) & seals) != seals && fcntl(file, F_ADD_SEALS, seals) != 0) ||
      fallocate(file, 0, 0, CHANNEL_BYTES) != 0) {
    fail("memory");
  }
  close(file);
}

static struct vi *made(int socket, struct channel *channel, bool has_connected) {
  struct vi *vi = aligned_alloc(128, (sizeof *vi + 127) / 128 * 128);
  memset(vi, 0, sizeof *vi);
  vi->channel = channel;
  vi->socket = socket;
  vi->connected = true;
  vi->own_word = &vi->channel->words[has_connected ? 0 : 1].sleeps;
  vi->peer_word = &vi->channel->words[has_connected ? 1 : 0].sleeps;
  vi->out.ring = &vi->channel->rings[has_connected ? 0 : 1];
  vi->in.ring = &vi->channel->rings[has_connected ? 1 : 0];
  vi->in.oldest_left = UINT64_MAX;
  vi->in.data_before_left = UINT64_MAX;
  vi->looked_at = now_nanos();
  return vi;
}

struct vi *vi_accept(uint64_t *tag) {
  int accepted = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
  if (accepted < 0) {
    fail("accept");
  }
  int file = read_greeting(accepted, 0, tag);
  struct channel *channel = map_channel(file);
  keep_and_close(file);
  greet(accepted, 1, *tag, -1);
  return made(accepted, channel, false);
}

struct vi *vi_connect(const char *address, uint64_t tag) {
  struct sockaddr_un remote;
  socklen_t length = name(address, &remote);
  int connected = open_socket();
  if (connect(connected, (struct sockaddr *)&remote, length) != 0) {
    fail(address);
  }
  int file = memfd_create("tigris", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fallocate(file, 0, 0, CHANNEL_BYTES) != 0 ||
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
    fail("memory");
  }
  struct channel *channel = map_channel(file);
  greet(connected, 0, tag, file);
  read_greeting(connected, 1, &tag);
  keep_and_close(file);
  return made(connected, channel, true);
}

/* Lends it, if there is room; it is taken back when the connection closes. */
void vi_register(struct vi *vi, void *memory, size_t bytes) {
  const struct shared *shared = shared_at(memory);
  uint32_t number = 0;
  while (number < MOST_LOANS && vi->loans[number].bytes > 0) {
    number++;
  }
  uint32_t packet[] = {LOAN_LENT, number};
  if (number < MOST_LOANS && shared != NULL &&
      shared->bytes <= MOST_LOAN_BYTES - vi->lent_bytes &&
      send_packet(vi->socket, packet, sizeof packet, shared->file, MSG_DONTWAIT | MSG_NOSIGNAL)) {
    vi->loans[number] = (struct loan){memory, bytes, number};
    vi->lent_bytes += shared->bytes;
  }
}

bool vi_is_connected(const struct vi *vi) { return vi->connected; }

void vi_close(struct vi *vi) {
  if (vi->connected) {
    write_goodbye(&vi->out);
  }
  withdraw(&vi->out);
  close(vi->socket);
  for (int i = 0; i < MOST_LOANS; i++) {
    if (vi->borrowed[i].memory != NULL) {
      munmap((void *)vi->borrowed[i].memory, vi->borrowed[i].bytes);
    }
  }
  munmap(vi->channel, CHANNEL_BYTES);
  free(vi);
}

/* ---- the interface */

void vi_post(struct vi *vi, struct transfer *transfer) {
  transfer->progress = 0;
  vi->unrung = true;
  if (!transfer->is_send) {
    queue_add(&vi->receives, transfer);
  } else if (!vi->connected || queue_size(&vi->sends) > 0 || !send_at_once(vi, transfer)) {
    queue_add(&vi->sends, transfer);
  }
}

static void ring(struct vi *vi) {
  if (vi->unrung) {
    vi->unrung = false;
    send_parts(vi);
    vi->changed |= give_lent_back(&vi->in);
    wake_peer(vi);
  }
}

struct transfer *vi_poll(struct vi *vi) {
  if (vi->complete.head == vi->rung_tail) {
    if (vi->connected) {
      ring(vi);
    }
    if (vi->connected && queue_size(&vi->complete) == 0) {
      progress(vi);
    }
    vi->rung_tail = vi->complete.tail;
  }
  return vi->complete.head == vi->rung_tail ? NULL : queue_take(&vi->complete);
}

bool vi_is_moving(struct vi *vi) {
  bool was = vi->moving;
  vi->moving = false;
  return was;
}

void vi_park(struct vi *vi, int64_t nanos) {
  atomic_store_explicit(vi->own_word, 1, memory_order_release);
  atomic_thread_fence(memory_order_seq_cst);
  bool has_work = (vi->stage != WAITING && sees_more(&vi->in)) ||
                  (queue_size(&vi->sends) > 0 &&
                   atomic_load_explicit(&vi->out.ring->freed, memory_order_acquire) != vi->out.freed);
  struct pollfd wanted = {vi->socket, POLLIN, 0};
  int64_t millis = (nanos + 999999) / 1000000;
  if (!has_work) {
    poll(&wanted, 1, (int)millis);
  }
  atomic_store_explicit(vi->own_word, 0, memory_order_release);
  vi->waited_for_sockets = true;
}
