/* The twin of dev.tigris.net.libfabric, which it can talk to: Packets, Outgoing, LibfabricLink,
   Channel and Station, line by line where that means anything, over the same functions of the
   library. One channel to a station; messages of one range; an orderly end. With DATAGRAMS it is
   the twin of libfabric-rdm: what differs is in net_datagrams.h, and what does not apply there in
   net_connected.h. */
#include "net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#ifdef DATAGRAMS
enum { PREFIX_BYTES = 8 }; /* Switchboard: the number of a connection, before each packet */
#else
enum { PREFIX_BYTES = 0 };
#endif

/* Whether messages are copied into packets and out of them, long ones too: Station. */
static const bool COPIES = PREFIX_BYTES > 0;

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
  READS_AHEAD = 4,     /* Incoming */
  COMPLETIONS = 8192,  /* Station */
  MOST_BATCHES = 16,
  POLLS_BETWEEN_EVENTS = 256,
  LIBRARY_WAITS_MILLIS = 1,
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
  struct fid_eq *events;      /* of connected endpoints */
  struct fid_av *peers;       /* of the others: of the one that all connections share */
  struct fid_ep *endpoint;
  struct fid_cq *completions;
  struct pollfd files[2];
  bool registers_memory, virtual_addresses;
  size_t inject_bytes, operation_bytes;
  struct buffers packets, headers;
  struct buffer *scratch;
  struct operation operations[OPERATIONS];
  struct operation *spare;
  int polls;
  int posted; /* receives */
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
    size_t size = PREFIX_BYTES + from->bytes;
    if (made == NULL || posix_memalign((void **)&slab, 64, size * from->at_a_time) != 0) {
      fail("no memory for packets");
    }
    memset(slab, 0, size * from->at_a_time);
    void *descriptor = NULL;
    if (station.registers_memory) {
      descriptor = fi_mr_desc(register_memory(slab, size * from->at_a_time, ACCESS));
    }
    for (int i = 0; i < from->at_a_time; i++) {
      unsigned char *memory = slab + i * size + PREFIX_BYTES;
      made[i] = (struct buffer){from->spare, from, memory, descriptor};
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

/* Opens what endpoints of either kind need. */
static void open_device(struct fi_info *info) {
  struct fi_cq_attr for_completions = {
      .size = COMPLETIONS, .format = FI_CQ_FORMAT_MSG, .wait_obj = FI_WAIT_FD};
  check("fi_domain", fi_domain(station.fabric, info, &station.domain, NULL));
  check("fi_cq_open",
        fi_cq_open(station.domain, &for_completions, &station.completions, NULL));
  check("fi_control", fi_control(&station.completions->fid, FI_GETWAIT, &station.files[0].fd));
  station.files[0].events = POLLIN;
  station.files[1].events = POLLIN;
  station.registers_memory = (info->domain_attr->mr_mode & FI_MR_LOCAL) != 0;
  station.virtual_addresses = (info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  size_t inject_bytes = info->tx_attr->inject_size - PREFIX_BYTES;
  station.inject_bytes = inject_bytes < PACKET_BYTES ? inject_bytes : PACKET_BYTES;
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
  struct fid_ep *endpoint; /* NULL when it is released */
  fi_addr_t peer;          /* of datagrams, and all that follows: see net_datagrams.h */
  uint64_t number, peer_number;
  int line;
  bool speaks_first, greeted, heard;
  int64_t quiet_since;

  bool connected, unrung, stuck, moved, peer_closed, goodbye_received, lingering;
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
        vi->endpoint, buffer->memory - PREFIX_BYTES, PREFIX_BYTES + PACKET_BYTES,
        buffer->descriptor, 0, operation);
    if (result != 0) {
      forget(operation);
    }
    if (!is_under_way(vi, "fi_recv", result)) {
      return;
    }
    station.posted++;
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

/* The whole of a buffer, with the number that precedes a packet, if one does. */
static unsigned char *numbered(struct vi *vi, struct buffer *buffer) {
  unsigned char *whole = buffer->memory - PREFIX_BYTES;
  memcpy(whole, &vi->peer_number, PREFIX_BYTES);
  return whole;
}

static int64_t inject(struct vi *vi, struct buffer *buffer, size_t bytes) {
  unsigned char *whole = numbered(vi, buffer);
  return counted(vi, fi_inject(vi->endpoint, whole, PREFIX_BYTES + bytes, vi->peer));
}

/* Sends the beginning of a buffer, and what follows it of a message. */
static int64_t gather(struct vi *vi, struct buffer *buffer, size_t bytes, unsigned char *content,
                      size_t content_bytes, struct outbound *outbound) {
  struct iovec ranges[2] = {
      {numbered(vi, buffer), PREFIX_BYTES + bytes}, {content, content_bytes}};
  void *descriptors[2] = {buffer->descriptor, descriptor_of(vi, content)};
  struct operation *operation = start(SEND);
  operation->buffer = buffer;
  operation->outbound = outbound;
  ssize_t result =
      fi_sendv(vi->endpoint, ranges, descriptors, content == NULL ? 1 : 2, vi->peer,
               operation);
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
  struct buffer *buffer =
      injects ? station.scratch : take_buffer(COPIES ? &station.packets : &station.headers);
  if (from == 0) {
    put_header(vi, buffer, MESSAGE, message->bytes, message->tag);
  } else {
    put_header(vi, buffer, MORE, 0, 0);
  }
  if (injects || COPIES) {
    memcpy(buffer->memory + HEADER_BYTES, message->memory + from, size);
  }
  int64_t result;
  if (injects) {
    result = inject(vi, buffer, HEADER_BYTES + size);
  } else if (COPIES) {
    result = gather(vi, buffer, HEADER_BYTES + size, NULL, 0, NULL);
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

/* ---- receiving: Incoming */

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
      if (COPIES || vi->missing > 0 || content != RANGE_BYTES) {
        return "an offer of several ranges";
      }
      break;
    default:
      return "a packet of an unknown kind";
  }
  vi->moved |= vi->missing > 0;
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
  vi->heard = true;
  vi->quiet_since = vi->peer_closed ? now_nanos() : 0;
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

/* What net_connected.h and net_datagrams.h have, each in its way. */

/* Closes the endpoint, or the share in it: after this the library touches nothing that belongs to
   the interface. */
static void release(struct vi *vi);

/* Whether a packet has arrived for this interface. */
static bool is_addressee(const struct vi *vi, const struct buffer *buffer, size_t bytes);

/* Whether look_at_peer looks when it is called next. */
static bool is_to_look(void);

/* Looks now and then whether the peer is gone. */
static void look_at_peer(struct vi *vi);

/* Whether it has been gone for so long that nothing comes from it any more. */
static bool is_lost(struct vi *vi);

static void consume(struct vi *vi) {
  while (vi->held_count > 0 && consume_first(vi)) {
  }
  read_ahead(vi);
  if (vi->goodbye_received && vi->held_count == 0 && !vi->lingering) {
    vi->connected = false;
    release(vi);
  }
}

/* Says the first word, if it is this side's turn: connected endpoints need none. */
static bool greet(struct vi *vi) {
  if (!vi->greeted && (vi->speaks_first || vi->heard)) {
    vi->greeted = is_under_way(vi, "a message cannot be sent", send_header(vi, CREDIT, 0));
  }
  return vi->greeted;
}

/* Does what can be done. */
static void go_on(struct vi *vi) {
  consume(vi);
  if (vi->connected) {
    post_receives(vi);
  }
  if (vi->connected && greet(vi)) {
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
  station.posted -= done.what == RECEIVE;
  if (failure != 0 || vi->endpoint == NULL) {
    if (failure != 0 && !vi->lingering && !vi->goodbye_received) {
      refused("the connection is lost", -failure);
    }
    if (done.buffer != NULL) {
      give_back(done.buffer);
    }
    return;
  }
  switch (done.what) {
    case RECEIVE:
      if (is_addressee(vi, done.buffer, bytes)) {
        arrived(vi, done.buffer, bytes - PREFIX_BYTES);
      } else {
        vi->unposted[vi->unposted_count++] = done.buffer;
      }
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

/* Returns how many there were. */
static int took(struct vi *vi, const struct fi_cq_msg_entry *entries, ssize_t count) {
  for (ssize_t i = 0; i < count; i++) {
    completed(vi, entries[i].op_context, entries[i].len, 0);
  }
  if (count == -FI_EAVAIL) {
    struct fi_cq_err_entry error = {0};
    if (fi_cq_readerr(station.completions, &error, 0) > 0) {
      completed(vi, error.op_context, 0, error.err > 0 ? error.err : 1);
    }
    return 1;
  }
  if (count < 0 && count != -FI_EAGAIN && count != -FI_EINTR) {
    refused("fi_cq_read", count);
  }
  return count > 0 ? (int)count : 0;
}

static int take_completions(struct vi *vi) {
  struct fi_cq_msg_entry entries[BATCH];
  return took(vi, entries, fi_cq_read(station.completions, entries, BATCH));
}

static void progress(struct vi *vi) {
  bool to_the_end = is_to_look();
  int taken = BATCH;
  for (int batches = 0; batches < MOST_BATCHES && (to_the_end ? taken > 0 : taken == BATCH);
       batches++) {
    taken = take_completions(vi);
  }
  look_at_peer(vi);
  if (vi->stuck && vi->endpoint != NULL) {
    vi->stuck = false;
    if (vi->peer_closed && !vi->goodbye_received && !vi->lingering && is_lost(vi)) {
      errno = 0;
      fail("the peer has closed");
    }
    if (!vi->lingering) {
      go_on(vi);
    }
  }
}

/* ---- the interface */

static bool may_wait(struct fid *queue) {
  return fi_trywait(station.fabric, &queue, 1) != -FI_EAGAIN;
}

/* Station.arm: has the files become readable when something comes, and not before. Returns false if
   there is something to do. */
static bool arm(struct vi *vi) {
  if (vi->stuck || !may_wait(&station.completions->fid) ||
      (station.events != NULL && !may_wait(&station.events->fid))) {
    return false;
  }
  station.polls = INT32_MAX - 1; /* it looks now */
  look_at_peer(vi);
  if (vi->stuck) {
    return false;
  }
  if (poll(station.files, 1, 0) == 0) {
    return true;
  }
  struct fi_cq_msg_entry entries[BATCH];
  ssize_t count =
      fi_cq_sread(station.completions, entries, BATCH, NULL, LIBRARY_WAITS_MILLIS);
  return took(vi, entries, count) == 0;
}

bool vi_is_moving(struct vi *vi) {
  bool moves = vi->moved;
  vi->moved = false;
  for (uint32_t i = 0; i < vi->started && !moves; i++) {
    moves = outbound_at(vi, i)->registration != NULL;
  }
  for (uint32_t i = 0; i < vi->held_count && !moves; i++) {
    moves = held_at(vi, i)->reads_under_way > 0;
  }
  return moves;
}

void vi_park(struct vi *vi, int64_t nanos) {
  if (!arm(vi)) {
    return;
  }
  int64_t millis = (nanos + 999999) / 1000000;
  poll(station.files, 2, millis > INT32_MAX ? INT32_MAX : (int)millis);
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
  vi->pieces_bytes = COPIES ? UINT32_MAX : pieces < LONG_BYTES ? (uint32_t)pieces : LONG_BYTES;
}

#ifdef DATAGRAMS
#include "net_datagrams.h"
#else
#include "net_connected.h"
#endif

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
    station.polls = INT32_MAX - 1; /* it looks now */
    progress(vi);
    if (said) {
      vi_park(vi, 1000000);
    }
  }
  release(vi);
  for (int i = 0; i < MOST_REGISTERED && vi->registered[i] != NULL; i++) {
    fi_close(&vi->registered[i]->fid);
  }
  free(vi);
}
