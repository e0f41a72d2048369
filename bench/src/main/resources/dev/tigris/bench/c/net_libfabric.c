/* The twin of dev.tigris.net.libfabric, which it can talk to: Packets, Outgoing, LibfabricLink,
   Channel and Station, line by line where that means anything, over the same functions of the
   library. One channel to a station; messages of one range; an orderly end. */
#include "net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
  HEADER_BYTES = 16, /* Packet */
  CONTENT_BYTES = 32 * 1024,
  PACKET_BYTES = HEADER_BYTES + CONTENT_BYTES,
  RANGE_BYTES = 24,
  OFFER_BYTES = HEADER_BYTES + 16 * RANGE_BYTES, /* Packets */
  LONG_BYTES = 256 * 1024,                       /* Outgoing */
  DEPTH = 64,                                    /* Attributes */
  WINDOW = 16,                                   /* Greeting */
  GREETING_BYTES = 40,
  SPARE_RECEIVES = 3,  /* Channel */
  READS_AHEAD = 4,     /* LibfabricLink */
  COMPLETIONS = 8192,  /* Station */
  MOST_BATCHES = 16,
  POLLS_BETWEEN_EVENTS = 256,
  OPERATIONS = 256,
  BATCH = 16, /* Completions */
  MIXED = 0,
  INTS = 4,
  LARGEST_BYTES = 1 << 30
};

static const int64_t LINGER_NANOS = INT64_C(1000000000);
static const uint64_t ACCESS = FI_SEND | FI_RECV | FI_READ | FI_WRITE;

enum kind { MESSAGE = 1, GOODBYE, OFFER, TAKEN, CREDIT, MORE };

struct header {
  uint32_t length, tag;
  uint8_t kind, type;
  uint16_t credits;
  uint32_t sequence;
};

struct range {
  uint64_t address, key, length;
};

struct greeting {
  char magic[8];
  uint32_t version, answer;
  uint64_t tag, maximum_bytes;
  uint32_t window, sequence;
};

_Static_assert(sizeof(struct header) == HEADER_BYTES, "the layout of Packet");
_Static_assert(sizeof(struct range) == RANGE_BYTES, "the layout of an offer");
_Static_assert(sizeof(struct greeting) == GREETING_BYTES, "the layout of Greeting");

/* Prints what the library says, and ends the process. */
static _Noreturn void refused(const char *what, int64_t error) {
  fprintf(stderr, "%s: %s\n", what, fi_strerror((int)-error));
  exit(1);
}

static void check(const char *what, int64_t result) {
  if (result != 0) {
    refused(what, result);
  }
}

/* ---- the station */

/* Memory for a packet: Buffer and Buffers. */
struct buffer {
  struct buffer *next;
  struct buffers *from;
  unsigned char *memory;
  void *descriptor;
};

struct buffers {
  size_t bytes;
  int at_a_time;
  struct buffer *spare;
};

enum what { NOTHING, RECEIVE, SEND, READ };

/* What the library is given as a context. */
struct operation {
  struct operation *next;
  enum what what;
  struct buffer *buffer;
  struct outbound *outbound;
  struct inbound *inbound;
};

static struct {
  struct fid_fabric *fabric;
  struct fid_domain *domain;
  struct fid_eq *events;
  struct fid_cq *completions;
  struct pollfd files[2];
  bool registers_memory, virtual_addresses;
  size_t inject_bytes, operation_bytes;
  struct buffers packets, headers;
  struct buffer *scratch;
  struct operation operations[OPERATIONS];
  struct operation *spare;
  int polls;
} station;

static uint64_t random_number(void) {
  uint64_t number;
  if (getrandom(&number, sizeof number, 0) != sizeof number) {
    fail("getrandom");
  }
  return number;
}

/* Keys that nobody guesses, for the library's providers that let the application choose: a sequence
   with a random start and odd step, scrambled as SplittableRandom does. */
static uint64_t next_key(void) {
  static uint64_t state;
  if (state == 0) {
    state = random_number();
  }
  uint64_t key = state += UINT64_C(0x9e3779b97f4a7c15);
  key = (key ^ (key >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  key = (key ^ (key >> 27)) * UINT64_C(0x94d049bb133111eb);
  return key ^ (key >> 31);
}

static struct fid_mr *register_memory(void *memory, size_t bytes, uint64_t access) {
  struct fid_mr *made;
  check("register memory",
        fi_mr_reg(station.domain, memory, bytes, access, 0, next_key(), 0, &made, NULL));
  return made;
}

static struct buffer *take_buffer(struct buffers *from) {
  if (from->spare == NULL) {
    unsigned char *slab = NULL;
    struct buffer *made = calloc((size_t)from->at_a_time, sizeof *made);
    if (made == NULL || posix_memalign((void **)&slab, 64, from->bytes * from->at_a_time) != 0) {
      fail("no memory for packets");
    }
    memset(slab, 0, from->bytes * from->at_a_time);
    void *descriptor = NULL;
    if (station.registers_memory) {
      descriptor = fi_mr_desc(register_memory(slab, from->bytes * from->at_a_time, ACCESS));
    }
    for (int i = 0; i < from->at_a_time; i++) {
      made[i] = (struct buffer){from->spare, from, slab + i * from->bytes, descriptor};
      from->spare = &made[i];
    }
  }
  struct buffer *taken = from->spare;
  from->spare = taken->next;
  return taken;
}

static void give_back(struct buffer *buffer) {
  buffer->next = buffer->from->spare;
  buffer->from->spare = buffer;
}

static struct operation *start(enum what what) {
  struct operation *next = station.spare;
  if (next == NULL) {
    errno = 0;
    fail("more operations are under way than there can be");
  }
  station.spare = next->next;
  *next = (struct operation){.what = what};
  return next;
}

static void forget(struct operation *operation) {
  *operation = (struct operation){.next = station.spare};
  station.spare = operation;
}

static struct fi_info *route(const char *address, bool here) {
  char host[64];
  char port[8];
  if (sscanf(address, "%63[0-9.]:%7[0-9]", host, port) != 2) {
    errno = EINVAL;
    fail(address);
  }
  setenv("FI_MR_CACHE_MONITOR", "disabled", 0);
  struct fi_info *hints = fi_allocinfo();
  struct fi_info *list;
  hints->caps = FI_MSG | FI_RMA;
  hints->ep_attr->type = FI_EP_MSG;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  uint64_t flags = FI_NUMERICHOST | (here ? FI_SOURCE : 0);
  check(address, fi_getinfo(FI_VERSION(1, 17), host, port, flags, hints, &list));
  fi_freeinfo(hints);
  struct fi_info *best = NULL;
  for (struct fi_info *each = list; each != NULL && best == NULL; each = each->next) {
    const char *provider = each->fabric_attr->prov_name;
    if ((strcmp(provider, "verbs") == 0 || strcmp(provider, "tcp") == 0) &&
        each->tx_attr->size >= 2 * WINDOW && each->rx_attr->size >= 2 * WINDOW &&
        each->tx_attr->iov_limit >= 2) { /* of one, Tigris would copy: not mirrored */
      best = fi_dupinfo(each);
    }
  }
  fi_freeinfo(list);
  if (best == NULL) {
    errno = 0;
    fail("libfabric has no connected endpoints for this address");
  }
  return best;
}

static void open_station(struct fi_info *info) {
  if (station.fabric != NULL) {
    return;
  }
  struct fi_eq_attr for_events = {.wait_obj = FI_WAIT_FD};
  struct fi_cq_attr for_completions = {
      .size = COMPLETIONS, .format = FI_CQ_FORMAT_MSG, .wait_obj = FI_WAIT_FD};
  check("fi_fabric", fi_fabric(info->fabric_attr, &station.fabric, NULL));
  check("fi_eq_open", fi_eq_open(station.fabric, &for_events, &station.events, NULL));
  check("fi_domain", fi_domain(station.fabric, info, &station.domain, NULL));
  check("fi_cq_open",
        fi_cq_open(station.domain, &for_completions, &station.completions, NULL));
  check("fi_control", fi_control(&station.completions->fid, FI_GETWAIT, &station.files[0].fd));
  check("fi_control", fi_control(&station.events->fid, FI_GETWAIT, &station.files[1].fd));
  station.files[0].events = POLLIN;
  station.files[1].events = POLLIN;
  station.registers_memory = (info->domain_attr->mr_mode & FI_MR_LOCAL) != 0;
  station.virtual_addresses = (info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  station.inject_bytes =
      info->tx_attr->inject_size < PACKET_BYTES ? info->tx_attr->inject_size : PACKET_BYTES;
  station.operation_bytes = info->ep_attr->max_msg_size;
  station.packets = (struct buffers){PACKET_BYTES, 8, NULL};
  station.headers = (struct buffers){OFFER_BYTES, 32, NULL};
  station.scratch = take_buffer(&station.packets);
  for (int i = OPERATIONS - 1; i >= 0; i--) {
    forget(&station.operations[i]);
  }
}

/* ---- a channel and its link */

struct outbound {
  struct fid_mr *registration; /* by which the peer reads it: NULL if it does not */
  uint32_t sequence;
  uint32_t sent;
  int pieces_under_way;
};

struct inbound {
  struct buffer *buffer;
  struct header header;
  uint32_t content;
  struct transfer *into;
  uint32_t posted;
  int reads_under_way;
};

enum { MOST_REGISTERED = 4 };

struct vi {
  struct fid_ep *endpoint;
  bool connected, unrung, stuck, peer_closed, goodbye_received, lingering;
  struct queue sends, receives, complete;
  struct fid_mr *registered[MOST_REGISTERED]; /* memory of the application */
  unsigned char *memory[MOST_REGISTERED];
  size_t bytes[MOST_REGISTERED];

  struct buffer *unposted[WINDOW + SPARE_RECEIVES];
  int unposted_count;

  uint32_t out_sequence;
  uint32_t owed; /* messages consumed and not yet credited */
  struct outbound outbounds[DEPTH];
  uint32_t first, started, credits, window, pieces_bytes;
  bool begun;

  struct inbound held[WINDOW];
  uint32_t first_held, held_count, in_sequence;
  uint32_t missing; /* what has yet to arrive of the last message */
  struct header filling;
  uint32_t filled;
  uint32_t untold[WINDOW];
  uint32_t untold_count;
};


bool vi_is_connected(const struct vi *vi) { return vi->connected; }

void vi_register(struct vi *vi, void *memory, size_t bytes) {
  for (int i = 0; station.registers_memory && i < MOST_REGISTERED; i++) {
    if (vi->registered[i] == NULL) {
      vi->registered[i] = register_memory(memory, bytes, ACCESS);
      vi->memory[i] = memory;
      vi->bytes[i] = bytes;
      return;
    }
  }
}

static void *descriptor_of(const struct vi *vi, const unsigned char *memory) {
  for (int i = 0; i < MOST_REGISTERED && vi->registered[i] != NULL; i++) {
    if (memory >= vi->memory[i] && memory < vi->memory[i] + vi->bytes[i]) {
      return fi_mr_desc(vi->registered[i]);
    }
  }
  return NULL;
}

static bool is_under_way(struct vi *vi, const char *what, int64_t result) {
  if (result == -FI_EAGAIN) {
    vi->stuck = true;
    return false;
  }
  check(what, result);
  return true;
}

static void post_receives(struct vi *vi) {
  while (vi->unposted_count > 0) {
    struct buffer *buffer = vi->unposted[vi->unposted_count - 1];
    struct operation *operation = start(RECEIVE);
    operation->buffer = buffer;
    ssize_t result = fi_recv(
        vi->endpoint, buffer->memory, PACKET_BYTES, buffer->descriptor, 0, operation);
    if (result != 0) {
      forget(operation);
    }
    if (!is_under_way(vi, "fi_recv", result)) {
      return;
    }
    vi->unposted_count--;
  }
}

/* ---- sending: Packets and Outgoing */

static void put_header(
    struct vi *vi, struct buffer *buffer, enum kind kind, uint32_t length, uint32_t tag) {
  struct header header = {
      length, tag, (uint8_t)kind, kind == MESSAGE || kind == OFFER ? INTS : MIXED,
      (uint16_t)vi->owed, vi->out_sequence};
  memcpy(buffer->memory, &header, HEADER_BYTES);
}

static int64_t counted(struct vi *vi, int64_t result) {
  if (result == 0) {
    vi->out_sequence++;
    vi->owed = 0;
  }
  return result;
}

static int64_t inject(struct vi *vi, struct buffer *buffer, size_t bytes) {
  return counted(vi, fi_inject(vi->endpoint, buffer->memory, bytes, 0));
}

/* Sends the beginning of a buffer, and what follows it of a message. */
static int64_t gather(struct vi *vi, struct buffer *buffer, size_t bytes, unsigned char *content,
                      size_t content_bytes, struct outbound *outbound) {
  struct iovec ranges[2] = {{buffer->memory, bytes}, {content, content_bytes}};
  void *descriptors[2] = {buffer->descriptor, descriptor_of(vi, content)};
  struct operation *operation = start(SEND);
  operation->buffer = buffer;
  operation->outbound = outbound;
  ssize_t result =
      fi_sendv(vi->endpoint, ranges, descriptors, content == NULL ? 1 : 2, 0, operation);
  if (result != 0) {
    forget(operation);
    give_back(buffer);
  } else if (outbound != NULL) {
    outbound->pieces_under_way++;
  }
  return counted(vi, result);
}

/* Sends a packet that has nothing but a header. */
static int64_t send_header(struct vi *vi, enum kind kind, uint32_t tag) {
  bool injects = HEADER_BYTES <= station.inject_bytes;
  struct buffer *buffer = injects ? station.scratch : take_buffer(&station.headers);
  put_header(vi, buffer, kind, 0, tag);
  return injects ? inject(vi, buffer, HEADER_BYTES)
                 : gather(vi, buffer, HEADER_BYTES, NULL, 0, NULL);
}

/* Sends the next piece of a message, or all of it. */
static int64_t send_piece(struct vi *vi, struct transfer *message, struct outbound *outbound) {
  uint32_t from = outbound->sent;
  uint32_t size = message->bytes - from < CONTENT_BYTES ? message->bytes - from : CONTENT_BYTES;
  bool injects = HEADER_BYTES + size <= station.inject_bytes;
  struct buffer *buffer = injects ? station.scratch : take_buffer(&station.headers);
  if (from == 0) {
    put_header(vi, buffer, MESSAGE, message->bytes, message->tag);
  } else {
    put_header(vi, buffer, MORE, 0, 0);
  }
  int64_t result;
  if (injects) {
    memcpy(buffer->memory + HEADER_BYTES, message->memory + from, size);
    result = inject(vi, buffer, HEADER_BYTES + size);
  } else {
    result = gather(vi, buffer, HEADER_BYTES, message->memory + from, size, outbound);
  }
  outbound->sent += result == 0 ? size : 0;
  return result;
}

/* Lets the peer read a message. */
static int64_t offer(struct vi *vi, struct transfer *message, struct outbound *outbound) {
  struct buffer *buffer = take_buffer(&station.headers);
  struct fid_mr *registration =
      register_memory(message->memory, message->bytes, ACCESS | FI_REMOTE_READ);
  uint64_t address = station.virtual_addresses ? (uint64_t)(uintptr_t)message->memory : 0;
  struct range range = {address, fi_mr_key(registration), message->bytes};
  memcpy(buffer->memory + HEADER_BYTES, &range, RANGE_BYTES);
  put_header(vi, buffer, OFFER, message->bytes, message->tag);
  int64_t result = gather(vi, buffer, HEADER_BYTES + RANGE_BYTES, NULL, 0, NULL);
  if (result == 0) {
    outbound->sent = message->bytes;
    outbound->registration = registration;
  } else {
    fi_close(&registration->fid);
  }
  return result;
}

static struct outbound *outbound_at(struct vi *vi, uint32_t index) {
  return &vi->outbounds[(vi->first + index) % DEPTH];
}

/* Starts what there is credit for. */
static void push(struct vi *vi) {
  while (vi->started < queue_size(&vi->sends) && vi->credits > 0) {
    struct transfer *next = queue_at(&vi->sends, vi->started);
    struct outbound *outbound = outbound_at(vi, vi->started);
    if (!vi->begun) {
      *outbound = (struct outbound){.sequence = vi->out_sequence};
    }
    int64_t result = next->bytes > vi->pieces_bytes ? offer(vi, next, outbound)
                                                    : send_piece(vi, next, outbound);
    if (!is_under_way(vi, "a message cannot be sent", result)) {
      return;
    }
    vi->credits--;
    vi->begun = outbound->sent < next->bytes;
    vi->started += !vi->begun;
  }
}

static void complete_sends(struct vi *vi) {
  while (vi->started > 0) {
    struct outbound *outbound = outbound_at(vi, 0);
    if (outbound->pieces_under_way > 0 || outbound->registration != NULL) {
      return;
    }
    vi->first = (vi->first + 1) % DEPTH;
    vi->started--;
    queue_add(&vi->complete, queue_take(&vi->sends));
  }
}

static void taken(struct vi *vi, uint32_t sequence) {
  for (uint32_t i = 0; i < vi->started; i++) {
    struct outbound *outbound = outbound_at(vi, i);
    if (outbound->registration != NULL && outbound->sequence == sequence) {
      fi_close(&outbound->registration->fid);
      outbound->registration = NULL;
      complete_sends(vi);
      return;
    }
  }
  errno = 0;
  fail("a message was taken that was not offered");
}

static void tell(struct vi *vi) {
  uint32_t told = 0;
  while (told < vi->untold_count &&
         is_under_way(vi, "a message cannot be sent", send_header(vi, TAKEN, vi->untold[told]))) {
    told++;
  }
  vi->untold_count -= told;
  memmove(vi->untold, vi->untold + told, vi->untold_count * sizeof vi->untold[0]);
}

static void give_credit(struct vi *vi) {
  if (vi->owed >= WINDOW / 2) {
    is_under_way(vi, "a message cannot be sent", send_header(vi, CREDIT, 0));
  }
}

/* ---- receiving: LibfabricLink */

static struct inbound *held_at(struct vi *vi, uint32_t index) {
  return &vi->held[(vi->first_held + index) % WINDOW];
}

/* Returns what is wrong with a packet that has arrived, or NULL; it is acted on. */
static const char *look(struct vi *vi, struct buffer *buffer, size_t bytes) {
  struct header header;
  if (bytes < HEADER_BYTES) {
    return "a packet without a header";
  }
  memcpy(&header, buffer->memory, HEADER_BYTES);
  uint32_t content = (uint32_t)bytes - HEADER_BYTES;
  if (header.sequence != vi->in_sequence++) {
    return "another packet was expected";
  }
  if (header.length > LARGEST_BYTES) {
    return "a message is too long";
  }
  vi->credits += header.credits;
  if (vi->credits > vi->window) {
    return "more credit than was used";
  }
  switch (header.kind) {
    case TAKEN:
      taken(vi, header.tag);
      return NULL;
    case GOODBYE:
      vi->goodbye_received = true;
      return NULL;
    case CREDIT:
      return NULL;
    case MESSAGE:
      if (vi->missing > 0 || content > header.length) {
        return "a message of another length";
      }
      vi->missing = header.length - content;
      break;
    case MORE:
      if (content > vi->missing) {
        return "more of a message than was missing";
      }
      vi->missing -= content;
      break;
    case OFFER:
      if (vi->missing > 0 || content != RANGE_BYTES) {
        return "an offer of several ranges";
      }
      break;
    default:
      return "a packet of an unknown kind";
  }
  if (vi->lingering) {
    return NULL;
  }
  if (vi->held_count == WINDOW) {
    return "a message without credit";
  }
  *held_at(vi, vi->held_count++) =
      (struct inbound){.buffer = buffer, .header = header, .content = content};
  return NULL;
}

static void arrived(struct vi *vi, struct buffer *buffer, size_t bytes) {
  uint32_t held_before = vi->held_count;
  const char *wrong = look(vi, buffer, bytes);
  if (wrong != NULL) {
    errno = 0;
    fail(wrong);
  }
  if (vi->held_count == held_before) {
    vi->unposted[vi->unposted_count++] = buffer;
  }
  vi->stuck = true;
}

static void received(struct vi *vi, const struct header *header) {
  struct transfer *filled = queue_take(&vi->receives);
  filled->bytes = header->length;
  filled->tag = header->tag;
  queue_add(&vi->complete, filled);
}

static void require_room(const struct header *header, const struct transfer *into) {
  if (header->length > into->bytes) {
    errno = 0;
    fail("a message is too long");
  }
}

static void fill(struct vi *vi, const struct inbound *piece) {
  struct transfer *into = queue_at(&vi->receives, 0);
  memcpy(into->memory + vi->filled, piece->buffer->memory + HEADER_BYTES, piece->content);
  vi->filled += piece->content;
  if (vi->filled == vi->filling.length) {
    struct header whole = vi->filling;
    vi->filling = (struct header){0};
    received(vi, &whole);
  }
}

/* Returns whether the first packet that is held was consumed. */
static bool consume_first(struct vi *vi) {
  if (vi->untold_count == WINDOW) {
    return false; /* the peer is told first */
  }
  struct inbound *first = held_at(vi, 0);
  if (first->header.kind == MORE) {
    fill(vi, first);
  } else if (queue_size(&vi->receives) == 0) {
    return false;
  } else if (first->header.kind == MESSAGE) {
    require_room(&first->header, queue_at(&vi->receives, 0));
    vi->filling = first->header;
    vi->filled = 0;
    fill(vi, first);
  } else if (first->into == NULL || first->posted < first->header.length ||
             first->reads_under_way > 0) {
    return false; /* read_ahead does it */
  } else {
    received(vi, &first->header);
    vi->untold[vi->untold_count++] = first->header.sequence;
  }
  vi->unposted[vi->unposted_count++] = first->buffer;
  vi->owed++;
  vi->first_held = (vi->first_held + 1) % WINDOW;
  vi->held_count--;
  return true;
}

/* Returns whether reads are posted for all that is missing of a message. */
static bool post_reads(struct vi *vi, struct inbound *message) {
  struct range there;
  memcpy(&there, message->buffer->memory + HEADER_BYTES, RANGE_BYTES);
  while (message->posted < message->header.length) {
    unsigned char *here = message->into->memory + message->posted;
    size_t size = message->header.length - message->posted;
    size = size < station.operation_bytes ? size : station.operation_bytes;
    struct operation *operation = start(READ);
    operation->inbound = message;
    ssize_t result = fi_read(vi->endpoint, here, size, descriptor_of(vi, here), 0,
                             there.address + message->posted, there.key, operation);
    if (result != 0) {
      forget(operation);
    }
    if (!is_under_way(vi, "a message cannot be read", result)) {
      return false;
    }
    message->posted += (uint32_t)size;
    message->reads_under_way++;
  }
  return true;
}

static void read_ahead(struct vi *vi) {
  uint32_t receive = vi->filling.length > 0 ? 1 : 0;
  int reading = 0;
  for (uint32_t i = 0; i < vi->held_count && reading < READS_AHEAD; i++) {
    struct inbound *next = held_at(vi, i);
    if (next->header.kind == MORE) {
      continue;
    }
    if (receive >= queue_size(&vi->receives)) {
      return;
    }
    struct transfer *into = queue_at(&vi->receives, receive++);
    if (next->header.kind == OFFER) {
      require_room(&next->header, into);
      next->into = into;
      reading++;
      if (!post_reads(vi, next)) {
        return;
      }
    }
  }
}

static void release(struct vi *vi);

static void consume(struct vi *vi) {
  while (vi->held_count > 0 && consume_first(vi)) {
  }
  read_ahead(vi);
  if (vi->goodbye_received && vi->held_count == 0 && !vi->lingering) {
    vi->connected = false;
    release(vi);
  }
}

/* Does what can be done. */
static void go_on(struct vi *vi) {
  consume(vi);
  if (vi->connected) {
    post_receives(vi);
    tell(vi);
    push(vi);
    complete_sends(vi);
    give_credit(vi);
  }
}

/* ---- moving: Station */

static void completed(struct vi *vi, struct operation *operation, size_t bytes, int failure) {
  struct operation done = *operation;
  forget(operation);
  if (failure != 0 || vi == NULL || vi->endpoint == NULL) {
    if (failure != 0 && vi != NULL && !vi->lingering && !vi->goodbye_received) {
      refused("the connection is lost", -failure);
    }
    if (done.buffer != NULL) {
      give_back(done.buffer);
    }
    return;
  }
  switch (done.what) {
    case RECEIVE:
      arrived(vi, done.buffer, bytes);
      break;
    case SEND:
      give_back(done.buffer);
      if (done.outbound != NULL) {
        done.outbound->pieces_under_way--;
        complete_sends(vi);
      }
      break;
    case READ:
      done.inbound->reads_under_way--;
      vi->stuck = true;
      break;
    case NOTHING:
      errno = 0;
      fail("a completion of nothing");
  }
}

/* Returns whether there was something. */
static bool take_completions(struct vi *vi) {
  struct fi_cq_msg_entry entries[BATCH];
  ssize_t count = fi_cq_read(station.completions, entries, BATCH);
  for (ssize_t i = 0; i < count; i++) {
    completed(vi, entries[i].op_context, entries[i].len, 0);
  }
  if (count == -FI_EAVAIL) {
    struct fi_cq_err_entry error = {0};
    if (fi_cq_readerr(station.completions, &error, 0) > 0) {
      completed(vi, error.op_context, 0, error.err > 0 ? error.err : 1);
    }
    return true;
  }
  if (count < 0 && count != -FI_EAGAIN && count != -FI_EINTR) {
    refused("fi_cq_read", count);
  }
  return count > 0;
}

struct event {
  struct fi_eq_cm_entry entry;
  unsigned char data[256];
};

/* The next event; 0 if there is none. `bytes` is how much the peer says with it. */
static uint32_t next_event(struct fid_eq *events, struct event *event, size_t *bytes) {
  uint32_t kind = 0;
  ssize_t length = fi_eq_read(events, &kind, event, sizeof *event, 0);
  if (length == -FI_EAVAIL) {
    struct fi_eq_err_entry error = {0};
    if (fi_eq_readerr(events, &error, 0) > 0) {
      refused("the connection has failed", -error.err);
    }
    return 0;
  }
  if (length == -FI_EAGAIN || length == -FI_EINTR || length == 0) {
    return 0;
  }
  if (length < 0) {
    refused("fi_eq_read", length);
  }
  *bytes = (size_t)length - sizeof event->entry;
  return kind;
}

static void progress(struct vi *vi) {
  for (int batches = 0; batches < MOST_BATCHES && take_completions(vi); batches++) {
  }
  if (++station.polls >= POLLS_BETWEEN_EVENTS) {
    station.polls = 0;
    struct event event;
    size_t bytes;
    for (uint32_t kind = next_event(station.events, &event, &bytes); kind != 0;
         kind = next_event(station.events, &event, &bytes)) {
      if (kind == FI_SHUTDOWN && vi->endpoint != NULL && event.entry.fid == &vi->endpoint->fid) {
        vi->peer_closed = true;
        vi->stuck = true;
      }
    }
  }
  if (vi->stuck && vi->endpoint != NULL) {
    vi->stuck = false;
    if (vi->peer_closed && !vi->goodbye_received && !vi->lingering) {
      errno = 0;
      fail("the peer has closed");
    }
    if (!vi->lingering) {
      go_on(vi);
    }
  }
}

/* ---- the interface */

void vi_park(struct vi *vi, int64_t nanos) {
  (void)vi;
  int64_t millis = (nanos + 999999) / 1000000;
  poll(station.files, 2, millis > INT32_MAX ? INT32_MAX : (int)millis);
}

/* An event of the station that must come. */
static void await_connected(struct event *event, size_t *bytes) {
  int64_t start = now_nanos();
  uint32_t kind = 0;
  while (kind == 0) {
    if (now_nanos() - start > INT64_C(10000000000)) {
      errno = ETIMEDOUT;
      fail("connect");
    }
    kind = next_event(station.events, event, bytes);
    if (kind == 0) {
      poll(&station.files[1], 1, 100);
    }
  }
  if (kind != FI_CONNECTED) {
    errno = 0;
    fail("the connection is not made");
  }
}

static struct greeting greeting(uint32_t answer, uint64_t tag) {
  return (struct greeting){
      "TIGRISVI", 1, answer, tag, LARGEST_BYTES, WINDOW, (uint32_t)random_number()};
}

static void take_greeting(
    struct vi *vi, const unsigned char *data, size_t bytes, uint32_t answer, uint64_t *tag) {
  struct greeting theirs;
  if (bytes < GREETING_BYTES) {
    errno = 0;
    fail("greeting");
  }
  memcpy(&theirs, data, GREETING_BYTES);
  if (memcmp(theirs.magic, "TIGRISVI", 8) != 0 || theirs.version != 1 ||
      theirs.answer != answer || theirs.window > WINDOW) {
    errno = 0;
    fail("greeting");
  }
  *tag = theirs.tag;
  vi->in_sequence = theirs.sequence;
  vi->window = theirs.window;
  vi->credits = theirs.window;
  uint64_t pieces = (uint64_t)theirs.window * CONTENT_BYTES;
  vi->pieces_bytes = pieces < LONG_BYTES ? (uint32_t)pieces : LONG_BYTES;
}

/* A new interface over an endpoint that is to be connected, with its receives posted. */
static struct vi *made(struct fi_info *info) {
  open_station(info);
  struct vi *vi = calloc(1, sizeof *vi);
  check("fi_endpoint", fi_endpoint(station.domain, info, &vi->endpoint, NULL));
  check("fi_ep_bind", fi_ep_bind(vi->endpoint, &station.events->fid, 0));
  check("fi_ep_bind",
        fi_ep_bind(vi->endpoint, &station.completions->fid, FI_TRANSMIT | FI_RECV));
  check("fi_enable", fi_enable(vi->endpoint));
  for (int i = 0; i < WINDOW + SPARE_RECEIVES; i++) {
    vi->unposted[vi->unposted_count++] = take_buffer(&station.packets);
  }
  post_receives(vi);
  return vi;
}

static struct fid_pep *door;
static struct fid_eq *knocks;

const char *vi_listen(const char *address) {
  static char actual[64];
  struct fi_info *info = route(address, true);
  struct fid_fabric *fabric;
  struct fi_eq_attr for_events = {.wait_obj = FI_WAIT_FD};
  check("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
  check("fi_eq_open", fi_eq_open(fabric, &for_events, &knocks, NULL));
  check("fi_passive_ep", fi_passive_ep(fabric, info, &door, NULL));
  check("fi_pep_bind", fi_pep_bind(door, &knocks->fid, 0));
  check("fi_listen", fi_listen(door));
  struct sockaddr_in name;
  size_t length = sizeof name;
  check("fi_getname", fi_getname(&door->fid, &name, &length));
  char host[INET_ADDRSTRLEN];
  inet_ntop(AF_INET, &name.sin_addr, host, sizeof host);
  snprintf(actual, sizeof actual, "%s:%u", host, ntohs(name.sin_port));
  fi_freeinfo(info);
  return actual;
}

struct vi *vi_accept(uint64_t *tag) {
  struct event event;
  uint32_t kind;
  ssize_t length;
  do {
    length = fi_eq_sread(knocks, &kind, &event, sizeof event, -1, 0);
  } while (length == -FI_EAGAIN || length == -FI_EINTR || (length > 0 && kind != FI_CONNREQ));
  if (length < 0) {
    refused("accept", length);
  }
  size_t bytes = (size_t)length - sizeof event.entry;
  struct vi *vi = made(event.entry.info);
  take_greeting(vi, event.data, bytes, 0, tag);
  struct greeting mine = greeting(1, *tag);
  vi->out_sequence = mine.sequence;
  check("fi_accept", fi_accept(vi->endpoint, &mine, GREETING_BYTES));
  fi_freeinfo(event.entry.info);
  await_connected(&event, &bytes);
  vi->connected = true;
  return vi;
}

struct vi *vi_connect(const char *address, uint64_t tag) {
  struct fi_info *info = route(address, false);
  struct vi *vi = made(info);
  struct greeting mine = greeting(0, tag);
  vi->out_sequence = mine.sequence;
  check(address, fi_connect(vi->endpoint, info->dest_addr, &mine, GREETING_BYTES));
  fi_freeinfo(info);
  struct event event;
  size_t bytes;
  uint64_t repeated;
  await_connected(&event, &bytes);
  take_greeting(vi, event.data, bytes, 1, &repeated);
  vi->connected = true;
  return vi;
}

void vi_post(struct vi *vi, struct transfer *transfer) {
  queue_add(transfer->is_send ? &vi->sends : &vi->receives, transfer);
  vi->unrung = true;
}

struct transfer *vi_poll(struct vi *vi) {
  struct transfer *next = queue_take(&vi->complete);
  if (next == NULL && vi->unrung) {
    vi->unrung = false;
    if (vi->connected) {
      go_on(vi);
    }
    next = queue_take(&vi->complete);
  }
  if (next == NULL && vi->connected) {
    progress(vi);
    next = queue_take(&vi->complete);
  }
  return next;
}

/* Closes the endpoint: after this the library touches nothing that was posted. */
static void release(struct vi *vi) {
  if (vi->endpoint == NULL) {
    return;
  }
  struct fid_ep *endpoint = vi->endpoint;
  vi->endpoint = NULL;
  fi_close(&endpoint->fid);
  while (vi->unposted_count > 0) {
    give_back(vi->unposted[--vi->unposted_count]);
  }
  while (vi->held_count > 0) {
    give_back(held_at(vi, --vi->held_count)->buffer);
  }
  for (int i = 0; i < DEPTH; i++) {
    if (vi->outbounds[i].registration != NULL) {
      fi_close(&vi->outbounds[i].registration->fid);
    }
  }
}

/* What was posted to an endpoint that is closed comes back failed, or never. */
static void reclaim(struct vi *vi) {
  while (take_completions(vi)) {
  }
  for (int i = 0; i < OPERATIONS; i++) {
    struct operation *operation = &station.operations[i];
    if (operation->what != NOTHING) {
      if (operation->buffer != NULL) {
        give_back(operation->buffer);
      }
      forget(operation);
    }
  }
}

void vi_close(struct vi *vi) {
  int64_t start = now_nanos();
  bool said = false;
  vi->lingering = true;
  while (vi->endpoint != NULL && !vi->goodbye_received && !vi->peer_closed &&
         now_nanos() - start < LINGER_NANOS) {
    if (!said) {
      tell(vi);
      said = vi->untold_count == 0 &&
             is_under_way(vi, "a message cannot be sent", send_header(vi, GOODBYE, 0));
    }
    station.polls = POLLS_BETWEEN_EVENTS;
    progress(vi);
    if (said) {
      vi_park(vi, 1000000);
    }
  }
  release(vi);
  reclaim(vi);
  for (int i = 0; i < MOST_REGISTERED && vi->registered[i] != NULL; i++) {
    fi_close(&vi->registered[i]->fid);
  }
  free(vi);
}
