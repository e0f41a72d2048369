/* The twin of dev.tigris.net.uring, which it can talk to: Outgoing, Incoming, UringLink
   and UringPort, line by line where that means anything, over the same system calls. */
#include "net_socket.h"

#include <linux/io_uring.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum {
  STAGING_BYTES = 64 * 1024,
  COPIED_BYTES = 4096, /* Outgoing */
  LONG_BYTES = 16 * 1024,
  AHEAD_OF_LONG_BYTES = HEADER_BYTES + 4096,
  MOST_SENT_BYTES = 256 * 1024,
  MOST_GIVEN_BYTES = 512 * 1024,
  FRAMING_BYTES = MOST_SENT_BYTES + STAGING_BYTES, /* UringPort */
  MOST_KEPT = 4,
  BUFFERS = 16, /* UringPort */
  SURPLUS = BUFFERS, /* one more, for what was seen, or came behind a shorter message */
  SUBMISSIONS = 256, /* IoUring */
  COMPLETIONS = 4096,
  BUFFER_SLOTS = 4096,
  MOST_RANGES = 32,
  POLLING_IDLE_MILLIS = 10 /* IoUringSetup */
};

enum kind { SEND, RECEIVE, LISTEN, CANCEL, AWAIT };

struct ring {
  int fd, event;
  _Atomic uint32_t *sq_head, *sq_tail, *sq_flags, *cq_head, *cq_tail, *cq_flags;
  uint32_t sq_mask, cq_mask, tail, submitted, head;
  struct io_uring_sqe *submissions;
  struct io_uring_cqe *completions;
  struct io_uring_buf_ring *buffers;
  uint16_t buffers_tail;
  bool polled; /* by a thread of the kernel */
};

struct vi {
  struct ring ring;
  int socket;
  bool connected, unrung;
  struct queue sends, receives, complete;

  bool sending;
  unsigned char out[FRAMING_BYTES];
  uint32_t framed, sent_bytes, out_sequence;
  struct iovec ranges[MOST_RANGES];
  struct msghdr message;

  bool receiving, listening_now, stopping, direct;
  uint64_t body_bytes;
  unsigned char *buffers; /* BUFFERS + 1 of STAGING_BYTES */
  uint32_t kept[BUFFERS], kept_head, kept_tail;
  uint32_t starts[BUFFERS + 1], ends[BUFFERS + 1];
  unsigned char split[HEADER_BYTES];
  uint32_t split_bytes;
  enum stage stage;
  struct header frame;
  uint64_t taken;
  uint32_t in_sequence;

  bool asks, expecting, looks, awaiting;
  struct iovec expected_ranges[2];
  struct msghdr expected_message;
  unsigned char expected_header[HEADER_BYTES];
};

/* ---- the ring: IoUring */

static int enter(struct ring *ring, uint32_t count, uint32_t complete, uint32_t flags) {
  long done = syscall(SYS_io_uring_enter, ring->fd, count, complete, flags, NULL, 0);
  if (done < 0 && errno != EINTR && errno != EAGAIN) {
    fail("io_uring_enter");
  }
  return (int)done;
}

static void *map(int fd, size_t bytes, off_t offset) {
  void *mapped =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, offset);
  if (mapped == MAP_FAILED) {
    fail("mmap of io_uring");
  }
  return mapped;
}

static void want_signal(struct ring *ring, bool wanted) {
  atomic_store_explicit(
      ring->cq_flags, wanted ? 0 : IORING_CQ_EVENTFD_DISABLED, memory_order_release);
  atomic_thread_fence(memory_order_seq_cst);
}

static void make_ring(struct ring *ring) {
  struct io_uring_params p = {
      .cq_entries = COMPLETIONS,
      .flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP | IORING_SETUP_SUBMIT_ALL};
  ring->polled = getenv("TWIN_SQPOLL") != NULL;
  if (ring->polled) {
    p.flags |= IORING_SETUP_SQPOLL;
    p.sq_thread_idle = POLLING_IDLE_MILLIS;
  } else {
    p.flags |=
        IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG;
  }
  ring->fd = (int)syscall(SYS_io_uring_setup, SUBMISSIONS, &p);
  if (ring->fd < 0) {
    fail("io_uring_setup");
  }
  size_t sq_bytes = p.sq_off.array + p.sq_entries * sizeof(uint32_t);
  size_t cq_bytes = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
  unsigned char *rings = map(ring->fd, sq_bytes > cq_bytes ? sq_bytes : cq_bytes, 0);
  ring->submissions =
      map(ring->fd, p.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
  ring->sq_head = (_Atomic uint32_t *)(rings + p.sq_off.head);
  ring->sq_tail = (_Atomic uint32_t *)(rings + p.sq_off.tail);
  ring->sq_flags = (_Atomic uint32_t *)(rings + p.sq_off.flags);
  ring->cq_head = (_Atomic uint32_t *)(rings + p.cq_off.head);
  ring->cq_tail = (_Atomic uint32_t *)(rings + p.cq_off.tail);
  ring->cq_flags = (_Atomic uint32_t *)(rings + p.cq_off.flags);
  ring->completions = (struct io_uring_cqe *)(rings + p.cq_off.cqes);
  ring->sq_mask = p.sq_entries - 1;
  ring->cq_mask = p.cq_entries - 1;
  for (uint32_t i = 0; i < p.sq_entries; i++) {
    ((uint32_t *)(rings + p.sq_off.array))[i] = i;
  }
  ring->buffers = mmap(NULL, BUFFER_SLOTS * sizeof(struct io_uring_buf), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct io_uring_buf_reg registration = {.ring_addr = (uint64_t)(uintptr_t)ring->buffers,
                                          .ring_entries = BUFFER_SLOTS};
  ring->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (syscall(SYS_io_uring_register, ring->fd, IORING_REGISTER_PBUF_RING, &registration, 1) != 0 ||
      syscall(SYS_io_uring_register, ring->fd, IORING_REGISTER_EVENTFD, &ring->event, 1) != 0) {
    fail("io_uring_register");
  }
  want_signal(ring, false);
}

static void provide(struct vi *vi, uint32_t number) {
  struct ring *ring = &vi->ring;
  struct io_uring_buf *slot = &ring->buffers->bufs[ring->buffers_tail & (BUFFER_SLOTS - 1)];
  slot->addr = (uint64_t)(uintptr_t)(vi->buffers + (size_t)number * STAGING_BYTES);
  slot->len = STAGING_BYTES;
  slot->bid = (uint16_t)number;
  ring->buffers_tail++;
  atomic_store_explicit(
      (_Atomic uint16_t *)&ring->buffers->tail, ring->buffers_tail, memory_order_release);
}

/* One connection never fills the ring. */
static struct io_uring_sqe *submission(struct vi *vi, int operation, enum kind kind) {
  struct io_uring_sqe *slot = &vi->ring.submissions[vi->ring.tail++ & vi->ring.sq_mask];
  memset(slot, 0, sizeof *slot);
  slot->opcode = (uint8_t)operation;
  slot->fd = vi->socket;
  slot->user_data = kind;
  return slot;
}

static void ask(struct vi *vi);

static void submit(struct vi *vi) {
  struct ring *ring = &vi->ring;
  if (vi->asks) {
    ask(vi);
  }
  if (ring->submitted == ring->tail) {
    return;
  }
  atomic_store_explicit(ring->sq_tail, ring->tail, memory_order_release);
  if (ring->polled) {
    ring->submitted = ring->tail;
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(ring->sq_flags, memory_order_relaxed) & IORING_SQ_NEED_WAKEUP) {
      enter(ring, 0, 0, IORING_ENTER_SQ_WAKEUP);
    }
    return;
  }
  uint32_t left = ring->tail - atomic_load_explicit(ring->sq_head, memory_order_acquire);
  enter(ring, left, 0, IORING_ENTER_GETEVENTS);
  if (atomic_load_explicit(ring->sq_head, memory_order_acquire) == ring->tail) {
    ring->submitted = ring->tail;
  }
}

static bool has_deferred_work(struct ring *ring) {
  uint32_t flags = atomic_load_explicit(ring->sq_flags, memory_order_relaxed);
  return (flags & (IORING_SQ_CQ_OVERFLOW | IORING_SQ_TASKRUN)) != 0;
}

/* ---- connections */

static void receive(struct vi *vi);

static struct vi *made(int socket) {
  struct vi *vi = calloc(1, sizeof *vi);
  int on = 1;
  vi->socket = socket;
  vi->connected = true;
  if (setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
    fail("made");
  }
  make_ring(&vi->ring);
  vi->buffers = aligned_alloc(4096, (size_t)(BUFFERS + 1) * STAGING_BYTES);
  for (uint32_t i = 0; i < BUFFERS; i++) {
    provide(vi, i);
  }
  receive(vi);
  return vi;
}

void vi_register(struct vi *vi, void *memory, size_t bytes) {
  (void)vi;
  (void)memory;
  (void)bytes;
}

bool vi_is_connected(const struct vi *vi) { return vi->connected; }

/* ---- sending */

static void gather(struct vi *vi, void *from, size_t bytes) {
  vi->ranges[vi->message.msg_iovlen++] = (struct iovec){from, bytes};
}

static void send_completed(struct vi *vi, int result);

/* Leaves the first bytes of the ranges out. */
static void skip(struct vi *vi, size_t left) {
  struct msghdr *message = &vi->message;
  size_t first = 0;
  while (first < message->msg_iovlen && left >= vi->ranges[first].iov_len) {
    left -= vi->ranges[first++].iov_len;
  }
  message->msg_iovlen -= first;
  memmove(vi->ranges, vi->ranges + first, message->msg_iovlen * sizeof *vi->ranges);
  if (left > 0) {
    vi->ranges[0].iov_base = (unsigned char *)vi->ranges[0].iov_base + left;
    vi->ranges[0].iov_len -= left;
  }
}

/* Gives the socket what it takes of the ranges, the last of which may be long; returns how much
   that was. */
static uint32_t give(struct vi *vi) {
  struct msghdr *message = &vi->message;
  message->msg_iov = vi->ranges;
  int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
  uint32_t given = 0;
  bool all = true;
  while (all && message->msg_iovlen > 0) {
    struct iovec *last = &vi->ranges[message->msg_iovlen - 1];
    size_t whole = last->iov_len;
    if (whole > MOST_GIVEN_BYTES) {
      last->iov_len = MOST_GIVEN_BYTES;
    }
    size_t most = 0;
    for (size_t i = 0; i < message->msg_iovlen; i++) {
      most += vi->ranges[i].iov_len;
    }
    ssize_t sent = message->msg_iovlen == 1 ? send(vi->socket, last->iov_base, last->iov_len, flags)
                                            : sendmsg(vi->socket, message, flags);
    last->iov_len = whole;
    all = sent == (ssize_t)most;
    if (sent > 0) {
      given += (uint32_t)sent;
      skip(vi, (size_t)sent);
    }
  }
  return given;
}

static void send_or_ask(struct vi *vi, uint32_t total) {
  if (!vi->ring.polled) {
    total -= give(vi);
  }
  vi->sent_bytes = total;
  if (total == 0) {
    send_completed(vi, 0);
    return;
  }
  vi->sending = true;
  if (vi->message.msg_iovlen == 1) {
    struct io_uring_sqe *slot = submission(vi, IORING_OP_SEND, SEND);
    slot->addr = (uint64_t)(uintptr_t)vi->ranges[0].iov_base;
    slot->len = (uint32_t)vi->ranges[0].iov_len;
    slot->msg_flags = MSG_WAITALL | MSG_NOSIGNAL;
  } else {
    struct io_uring_sqe *slot = submission(vi, IORING_OP_SENDMSG, SEND);
    vi->message.msg_iov = vi->ranges;
    slot->addr = (uint64_t)(uintptr_t)&vi->message;
    slot->len = 1;
    slot->msg_flags = MSG_WAITALL | MSG_NOSIGNAL;
  }
}

static void send_posted(struct vi *vi) {
  if (vi->sending || queue_size(&vi->sends) == 0) {
    return;
  }
  uint32_t room = vi->ring.polled ? STAGING_BYTES : FRAMING_BYTES;
  uint32_t end = 0;
  uint32_t copied = 0; /* up to here the buffer is named by a range */
  uint32_t total = 0;
  vi->message = (struct msghdr){0};
  for (bool fits = true; fits && vi->framed < queue_size(&vi->sends) && total < MOST_SENT_BYTES;) {
    struct transfer *next = queue_at(&vi->sends, vi->framed);
    bool copies = next->bytes <= COPIED_BYTES;
    fits = room - end >= HEADER_BYTES + (copies ? next->bytes : 0) &&
           MOST_RANGES - vi->message.msg_iovlen >= (copies ? 2 : 3);
    if (fits) {
      struct header header = {next->bytes, next->tag, MESSAGE | INTS << 8, vi->out_sequence++};
      memcpy(vi->out + end, &header, HEADER_BYTES);
      end += HEADER_BYTES;
      if (copies) {
        memcpy(vi->out + end, next->memory, next->bytes);
        end += next->bytes;
      } else {
        gather(vi, vi->out + copied, end - copied);
        copied = end;
        gather(vi, next->memory, next->bytes);
      }
      vi->framed++;
      total += HEADER_BYTES + next->bytes;
    }
  }
  if (end > copied) {
    gather(vi, vi->out + copied, end - copied);
  }
  send_or_ask(vi, total);
}

static void send_completed(struct vi *vi, int result) {
  vi->sending = false;
  if (result < 0 || (uint32_t)result != vi->sent_bytes) {
    errno = result < 0 ? -result : 0;
    fail("send");
  }
  for (; vi->framed > 0; vi->framed--) {
    queue_add(&vi->complete, queue_take(&vi->sends));
  }
  send_posted(vi);
}

/* ---- receiving */

static uint32_t kept_size(const struct vi *vi) { return vi->kept_tail - vi->kept_head; }

static void ask(struct vi *vi);

static bool is_left(const struct vi *vi) {
  return kept_size(vi) > 0 || vi->starts[SURPLUS] < vi->ends[SURPLUS];
}

/* There is one connection: unless a thread of the kernel polls, calls receive, and not the ring. */
static void receive(struct vi *vi) {
  vi->looks = !vi->ring.polled && !vi->receiving && !is_left(vi);
  if (vi->looks) {
    return;
  }
  if (vi->direct) {
    vi->asks = true;
  } else {
    ask(vi);
  }
}

/* Whether another message like the last one may go to where it belongs; then it is to. */
static bool expect(struct vi *vi) {
  struct transfer *memory = queue_size(&vi->receives) == 0 ? NULL : queue_at(&vi->receives, 0);
  if (vi->stage != HEADER || vi->split_bytes > 0 || memory == NULL ||
      vi->frame.length > STAGING_BYTES || memory->bytes < vi->frame.length) {
    return false;
  }
  vi->expecting = true;
  vi->expected_ranges[0] = (struct iovec){vi->expected_header, HEADER_BYTES};
  vi->expected_ranges[1] = (struct iovec){memory->memory, vi->frame.length};
  vi->expected_message = (struct msghdr){.msg_iov = vi->expected_ranges, .msg_iovlen = 2};
  return true;
}

static void ask(struct vi *vi) {
  vi->asks = false;
  if (vi->listening_now || vi->receiving || is_left(vi) || !vi->connected) {
    return;
  }
  if (vi->direct && expect(vi)) {
    vi->receiving = true;
    struct io_uring_sqe *slot = submission(vi, IORING_OP_RECVMSG, RECEIVE);
    slot->addr = (uint64_t)(uintptr_t)&vi->expected_message;
    slot->len = 1;
    return;
  }
  struct io_uring_sqe *slot = submission(vi, IORING_OP_RECV, vi->direct ? RECEIVE : LISTEN);
  if (!vi->direct) {
    vi->listening_now = true;
    slot->flags = IOSQE_BUFFER_SELECT;
    slot->ioprio = IORING_RECV_MULTISHOT;
    return;
  }
  vi->receiving = true;
  if (vi->stage == FILLING) {
    vi->body_bytes = vi->frame.length - vi->taken;
    slot->addr = (uint64_t)(uintptr_t)(queue_at(&vi->receives, 0)->memory + vi->taken);
    slot->len = (uint32_t)vi->body_bytes;
    slot->msg_flags = MSG_WAITALL;
  } else {
    slot->flags = IOSQE_BUFFER_SELECT;
    slot->len = AHEAD_OF_LONG_BYTES;
  }
}

static void stop_listening(struct vi *vi) {
  if (vi->listening_now && !vi->stopping) {
    vi->stopping = true;
    struct io_uring_sqe *slot = submission(vi, IORING_OP_ASYNC_CANCEL, CANCEL);
    slot->fd = -1;
    slot->addr = LISTEN;
  }
}

/* The number of the first buffer that something is left in, or -1. */
static int available(struct vi *vi) {
  if (vi->starts[SURPLUS] < vi->ends[SURPLUS]) {
    return SURPLUS;
  }
  while (kept_size(vi) > 0) {
    uint32_t number = vi->kept[vi->kept_head % BUFFERS];
    if (vi->starts[number] < vi->ends[number]) {
      return (int)number;
    }
    vi->kept_head++;
    provide(vi, number);
  }
  return -1;
}

static void take_frame(struct vi *vi, const unsigned char *header) {
  memcpy(&vi->frame, header, HEADER_BYTES);
  errno = 0;
  if (vi->frame.sequence != vi->in_sequence++) {
    fail("another frame was expected");
  }
  if (vi->frame.kind == GOODBYE) {
    vi->connected = false;
    return;
  }
  if ((vi->frame.kind & 0xff) != MESSAGE || vi->frame.length > LARGEST_BYTES) {
    fail("a frame of an unknown kind");
  }
  vi->stage = WAITING;
  vi->taken = 0;
  vi->direct &= vi->frame.length > LONG_BYTES;
}

static bool take_header(struct vi *vi) {
  int number = available(vi);
  if (number >= 0 && vi->split_bytes == 0 &&
      vi->ends[number] - vi->starts[number] >= HEADER_BYTES) {
    unsigned char *header = vi->buffers + (size_t)number * STAGING_BYTES + vi->starts[number];
    vi->starts[number] += HEADER_BYTES;
    take_frame(vi, header);
    return true;
  }
  for (; number >= 0 && vi->split_bytes < HEADER_BYTES; number = available(vi)) {
    while (vi->split_bytes < HEADER_BYTES && vi->starts[number] < vi->ends[number]) {
      vi->split[vi->split_bytes++] =
          vi->buffers[(size_t)number * STAGING_BYTES + vi->starts[number]++];
    }
  }
  if (vi->split_bytes < HEADER_BYTES) {
    return false;
  }
  vi->split_bytes = 0;
  take_frame(vi, vi->split);
  return true;
}

/* Returns whether that was all of it. */
static bool take_payload(struct vi *vi) {
  while (vi->taken < vi->frame.length) {
    int number = available(vi);
    if (number < 0) {
      return false;
    }
    uint64_t there = vi->ends[number] - vi->starts[number];
    uint64_t missing = vi->frame.length - vi->taken;
    uint32_t n = (uint32_t)(there < missing ? there : missing);
    memcpy(queue_at(&vi->receives, 0)->memory + vi->taken,
           vi->buffers + (size_t)number * STAGING_BYTES + vi->starts[number], n);
    vi->starts[number] += n;
    vi->taken += n;
  }
  return true;
}

/* Returns whether it got to the next stage. */
static bool take_stage(struct vi *vi) {
  switch (vi->stage) {
    case HEADER:
      return take_header(vi);
    case WAITING:
      if (queue_size(&vi->receives) == 0) {
        return false;
      }
      if (vi->frame.length > queue_at(&vi->receives, 0)->bytes) {
        errno = 0;
        fail("a message is too long");
      }
      vi->stage = FILLING;
      return true;
    case FILLING: {
      if (!take_payload(vi)) {
        return false;
      }
      struct transfer *filled = queue_take(&vi->receives);
      filled->bytes = vi->frame.length;
      filled->tag = vi->frame.tag;
      queue_add(&vi->complete, filled);
      vi->stage = HEADER;
      return true;
    }
  }
  return false;
}

static void take(struct vi *vi) {
  while (vi->connected && take_stage(vi)) {
  }
  if (!vi->connected) {
    return;
  }
  available(vi);
  if (vi->stage == WAITING && kept_size(vi) >= MOST_KEPT) {
    stop_listening(vi);
  } else if (vi->stage == HEADER ? vi->frame.length > LONG_BYTES
                                 : vi->stage == FILLING &&
                                       vi->frame.length - vi->taken > LONG_BYTES) {
    vi->direct = true;
    stop_listening(vi);
  }
  receive(vi);
}

static void arrived(struct vi *vi, int result, uint32_t flags) {
  if ((flags & IORING_CQE_F_BUFFER) != 0) {
    uint32_t number = flags >> IORING_CQE_BUFFER_SHIFT;
    vi->starts[number] = 0;
    vi->ends[number] = result > 0 ? (uint32_t)result : 0;
    vi->kept[vi->kept_tail++ % BUFFERS] = number;
  }
  if (result == 0 || (result < 0 && result != -ENOBUFS && result != -ECANCELED)) {
    errno = -result;
    fail("receive");
  }
  take(vi);
}

/* What was expected has come, or something else. */
static void expected_arrived(struct vi *vi, int result) {
  vi->expecting = false;
  if (result < HEADER_BYTES) {
    if (result > 0) {
      memcpy(vi->split, vi->expected_header, (size_t)result);
      vi->split_bytes = (uint32_t)result;
    }
    return;
  }
  uint32_t there = (uint32_t)result - HEADER_BYTES;
  unsigned char *memory = queue_at(&vi->receives, 0)->memory;
  take_frame(vi, vi->expected_header);
  uint32_t own = there < vi->frame.length ? there : vi->frame.length;
  vi->taken = own;
  vi->starts[SURPLUS] = 0;
  vi->ends[SURPLUS] = there - own;
  if (there > own) {
    memcpy(vi->buffers + (size_t)SURPLUS * STAGING_BYTES, memory + own, there - own);
  }
}

static void completed(struct vi *vi, const struct io_uring_cqe *cqe) {
  bool goes_on = (cqe->flags & IORING_CQE_F_MORE) != 0;
  switch ((enum kind)cqe->user_data) {
    case SEND:
      send_completed(vi, cqe->res);
      break;
    case RECEIVE:
      vi->receiving = false;
      if (vi->expecting) {
        expected_arrived(vi, cqe->res);
      }
      if (vi->body_bytes > 0 && cqe->res > 0) {
        vi->taken += (uint32_t)cqe->res;
      }
      vi->body_bytes = 0;
      arrived(vi, cqe->res, cqe->flags);
      break;
    case LISTEN:
      if (!goes_on) {
        vi->listening_now = false;
        vi->stopping = false;
      }
      arrived(vi, cqe->res, cqe->flags);
      break;
    case CANCEL:
      vi->stopping &= cqe->res >= 0;
      break;
    case AWAIT:
      vi->awaiting = false;
      break;
  }
}

static void take_completions(struct vi *vi) {
  struct ring *ring = &vi->ring;
  while (vi->connected &&
         ring->head != atomic_load_explicit(ring->cq_tail, memory_order_acquire)) {
    struct io_uring_cqe cqe = ring->completions[ring->head & ring->cq_mask];
    ring->head++;
    atomic_store_explicit(ring->cq_head, ring->head, memory_order_release);
    completed(vi, &cqe);
  }
}

static void look(struct vi *vi) {
  unsigned char *buffer = vi->buffers + (size_t)SURPLUS * STAGING_BYTES;
  bool fills = vi->direct && vi->stage == FILLING;
  bool expects = vi->direct && expect(vi);
  ssize_t there;
  if (fills) {
    unsigned char *memory = queue_at(&vi->receives, 0)->memory;
    struct iovec rest = {memory + vi->taken, vi->frame.length - vi->taken};
    struct msghdr message = {.msg_iov = &rest, .msg_iovlen = 1};
    there = recvmsg(vi->socket, &message, MSG_DONTWAIT);
  } else if (expects) {
    there = recvmsg(vi->socket, &vi->expected_message, MSG_DONTWAIT);
  } else {
    size_t most = vi->direct ? AHEAD_OF_LONG_BYTES : STAGING_BYTES;
    there = recv(vi->socket, buffer, most, MSG_DONTWAIT);
  }
  if (there == 0 || (there < 0 && errno != EAGAIN)) {
    fail("receive");
  }
  if (there > 0 && fills) {
    vi->taken += (uint32_t)there;
  } else if (there > 0 && expects) {
    expected_arrived(vi, (int)there);
  } else if (there > 0) {
    vi->starts[SURPLUS] = 0;
    vi->ends[SURPLUS] = (uint32_t)there;
  }
  vi->expecting = false;
  if (there > 0) {
    take(vi);
  }
}

static void progress(struct vi *vi) {
  submit(vi);
  if (has_deferred_work(&vi->ring)) {
    enter(&vi->ring, 0, 0, IORING_ENTER_GETEVENTS);
  }
  take_completions(vi);
  if (vi->looks && vi->connected) {
    look(vi);
  }
}

/* ---- the interface */

void vi_post(struct vi *vi, struct transfer *transfer) {
  queue_add(transfer->is_send ? &vi->sends : &vi->receives, transfer);
  vi->unrung = true;
}

struct transfer *vi_poll(struct vi *vi) {
  struct transfer *next = queue_take(&vi->complete);
  if (next == NULL && vi->connected) {
    if (vi->unrung) {
      vi->unrung = false;
      send_posted(vi);
      if (vi->stage == WAITING) {
        take(vi);
      }
    }
    submit(vi);
    next = queue_take(&vi->complete);
    if (next == NULL) {
      progress(vi);
      next = queue_take(&vi->complete);
    }
  }
  return next;
}

void vi_park(struct vi *vi, int64_t nanos) {
  struct ring *ring = &vi->ring;
  if (vi->looks && !vi->awaiting && vi->connected) {
    vi->awaiting = true;
    submission(vi, IORING_OP_POLL_ADD, AWAIT)->poll32_events = POLLIN;
  }
  submit(vi);
  want_signal(ring, true);
  if (!has_deferred_work(ring) &&
      ring->head == atomic_load_explicit(ring->cq_tail, memory_order_acquire)) {
    struct pollfd event = {.fd = ring->event, .events = POLLIN};
    poll(&event, 1, (int)((nanos + 999999) / 1000000));
  }
  want_signal(ring, false);
  eventfd_t count;
  eventfd_read(ring->event, &count);
}

/* Cancels what is in flight, and waits until the kernel is done with it. */
static void cancel_all(struct vi *vi) {
  struct ring *ring = &vi->ring;
  vi->asks = false;
  struct io_uring_sqe *slot = submission(vi, IORING_OP_ASYNC_CANCEL, CANCEL);
  slot->cancel_flags = IORING_ASYNC_CANCEL_ALL | IORING_ASYNC_CANCEL_FD;
  submit(vi);
  while (vi->receiving || vi->listening_now) {
    if (ring->head == atomic_load_explicit(ring->cq_tail, memory_order_acquire)) {
      enter(ring, 0, 1, IORING_ENTER_GETEVENTS);
      continue;
    }
    struct io_uring_cqe *cqe = &ring->completions[ring->head & ring->cq_mask];
    bool goes_on = (cqe->flags & IORING_CQE_F_MORE) != 0;
    vi->receiving &= cqe->user_data != RECEIVE;
    vi->listening_now &= cqe->user_data != LISTEN || goes_on;
    ring->head++;
    atomic_store_explicit(ring->cq_head, ring->head, memory_order_release);
  }
}

void vi_close(struct vi *vi) {
  cancel_all(vi);
  close(vi->ring.fd);
  struct header goodbye = {0, 0, GOODBYE, vi->out_sequence};
  if (send(vi->socket, &goodbye, HEADER_BYTES, MSG_NOSIGNAL) > 0) {
    shutdown(vi->socket, SHUT_WR);
    while (read(vi->socket, vi->out, sizeof vi->out) > 0) {
    }
  }
  close(vi->socket);
  close(vi->ring.event);
  free(vi->buffers);
  free(vi);
}
