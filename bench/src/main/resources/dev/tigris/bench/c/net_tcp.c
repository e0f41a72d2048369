/* The twin of dev.tigris.net.tcp, which it can talk to: TcpLink and Outgoing, line by line where
   that means anything, over the system calls that NIO makes. */
#include "net_socket.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>

enum {
  STAGING_BYTES = 64 * 1024,
  SHORT_BYTES = 32 * 1024, /* Outgoing */
  BEGINNING_BYTES = 4096,
  STAGED_BYTES = 8 * (HEADER_BYTES + SHORT_BYTES),
  MOST_READS = 16
};

struct vi {
  int socket, epoll;
  uint32_t events; /* what epoll waits for */
  bool connected, unrung, end_of_stream;
  struct queue sends, receives, complete;

  unsigned char out[STAGED_BYTES];
  uint32_t out_written, out_end;
  struct transfer *body;
  uint64_t body_framed;
  uint32_t framed, out_sequence;
  uint64_t framed_bytes, written_bytes;

  unsigned char in[STAGING_BYTES];
  uint32_t in_start, in_end;
  enum stage stage;
  struct header frame;
  uint64_t taken;
  bool is_long;
  uint32_t in_sequence;
};

static struct vi *made(int socket) {
  struct vi *vi = calloc(1, sizeof *vi);
  int on = 1;
  vi->socket = socket;
  vi->connected = true;
  vi->epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event nothing = {0};
  if (setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
      fcntl(socket, F_SETFL, O_NONBLOCK) != 0 ||
      epoll_ctl(vi->epoll, EPOLL_CTL_ADD, socket, &nothing) != 0) {
    fail("made");
  }
  return vi;
}

void vi_register(struct vi *vi, void *memory, size_t bytes) {
  (void)vi;
  (void)memory;
  (void)bytes;
}

bool vi_is_connected(const struct vi *vi) { return vi->connected; }

/* ---- sending: Outgoing */

static void put_header(struct vi *vi, uint32_t length, uint32_t tag, uint32_t kind) {
  struct header header = {length, tag, kind, vi->out_sequence++};
  memcpy(vi->out + vi->out_end, &header, HEADER_BYTES);
  vi->out_end += HEADER_BYTES;
  vi->framed_bytes += HEADER_BYTES + length;
}

static void frame(struct vi *vi) {
  while (vi->body == NULL && vi->framed < queue_size(&vi->sends)) {
    struct transfer *message = queue_at(&vi->sends, vi->framed);
    bool is_short = message->bytes <= SHORT_BYTES;
    uint32_t copied = is_short ? message->bytes : BEGINNING_BYTES;
    if (STAGED_BYTES - vi->out_end < HEADER_BYTES + copied) {
      return;
    }
    put_header(vi, message->bytes, message->tag, MESSAGE | INTS << 8);
    memcpy(vi->out + vi->out_end, message->memory, copied);
    vi->out_end += copied;
    vi->framed++;
    message->progress = vi->framed_bytes;
    if (!is_short) {
      vi->body = message;
      vi->body_framed = copied;
    }
  }
}

/* Writes what the socket takes; returns how much that was. */
static uint32_t put(struct vi *vi, const unsigned char *bytes, uint32_t count) {
  ssize_t n = write(vi->socket, bytes, count);
  if (n < 0 && errno != EAGAIN) {
    fail("write");
  }
  vi->written_bytes += n < 0 ? 0 : (uint64_t)n;
  return n < 0 ? 0 : (uint32_t)n;
}

static bool write_frames(struct vi *vi) {
  vi->out_written += put(vi, vi->out + vi->out_written, vi->out_end - vi->out_written);
  if (vi->out_written < vi->out_end) {
    return false;
  }
  vi->out_written = vi->out_end = 0;
  return true;
}

static bool write_body(struct vi *vi) {
  struct transfer *message = vi->body;
  uint32_t left = message->bytes - (uint32_t)vi->body_framed;
  uint32_t n = put(vi, message->memory + vi->body_framed, left);
  vi->body_framed += n;
  if (vi->body_framed == message->bytes) {
    vi->body = NULL;
  }
  return n == left;
}

static bool is_pending(const struct vi *vi) {
  return vi->out_end > 0 || vi->body != NULL || vi->framed < queue_size(&vi->sends);
}

static void write_out(struct vi *vi) {
  bool more = true;
  while (more) {
    frame(vi);
    more = (vi->out_end > 0 || vi->body != NULL) && (vi->out_end == 0 || write_frames(vi)) &&
           (vi->body == NULL || write_body(vi));
  }
  while (vi->framed > 0 && queue_at(&vi->sends, 0)->progress <= vi->written_bytes) {
    vi->framed--;
    queue_add(&vi->complete, queue_take(&vi->sends));
  }
}

/* ---- receiving: TcpLink */

static void take_header(struct vi *vi) {
  memcpy(&vi->frame, vi->in + vi->in_start, HEADER_BYTES);
  vi->in_start += HEADER_BYTES;
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
  vi->is_long = vi->frame.length > SHORT_BYTES;
}

/* Returns whether it got to the next stage. */
static bool take_stage(struct vi *vi) {
  uint32_t there = vi->in_end - vi->in_start;
  switch (vi->stage) {
    case HEADER:
      if (there < HEADER_BYTES) {
        return false;
      }
      take_header(vi);
      return true;
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
      uint64_t missing = vi->frame.length - vi->taken;
      uint32_t n = there < missing ? there : (uint32_t)missing;
      if (n > 0) {
        memcpy(queue_at(&vi->receives, 0)->memory + vi->taken, vi->in + vi->in_start, n);
        vi->in_start += n;
        vi->taken += n;
      }
      if (vi->taken < vi->frame.length) {
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
}

static uint32_t read_ahead_bytes(const struct vi *vi) {
  return vi->is_long ? HEADER_BYTES + BEGINNING_BYTES : STAGING_BYTES;
}

/* Reads; returns whether there may be more. */
static bool get(struct vi *vi, unsigned char *to, uint32_t room, uint32_t *n) {
  ssize_t result = read(vi->socket, to, room);
  if (result < 0 && errno != EAGAIN) {
    fail("read");
  }
  vi->end_of_stream = result == 0;
  *n = result < 0 ? 0 : (uint32_t)result;
  return *n == room;
}

static bool read_ahead(struct vi *vi) {
  uint32_t held = vi->in_end - vi->in_start;
  uint32_t limit = read_ahead_bytes(vi);
  if (held >= limit) {
    return false;
  }
  if (held > 0) {
    memmove(vi->in, vi->in + vi->in_start, held);
  }
  vi->in_start = 0;
  uint32_t n;
  bool more = get(vi, vi->in + held, limit - held, &n);
  vi->in_end = held + n;
  return more;
}

static bool read_body(struct vi *vi) {
  uint32_t n;
  unsigned char *to = queue_at(&vi->receives, 0)->memory + vi->taken;
  bool more = get(vi, to, (uint32_t)(vi->frame.length - vi->taken), &n);
  vi->taken += n;
  return more;
}

static void read_in(struct vi *vi) {
  for (int reads = 0; reads < MOST_READS; reads++) {
    take(vi);
    if (!vi->connected) {
      return;
    }
    if (vi->end_of_stream) {
      errno = 0;
      fail("the stream ended without a goodbye");
    }
    bool more = vi->stage == FILLING && vi->is_long ? read_body(vi) : read_ahead(vi);
    if (!more && !vi->end_of_stream) {
      take(vi);
      return;
    }
  }
}

/* ---- the interface */

void vi_post(struct vi *vi, struct transfer *transfer) {
  queue_add(transfer->is_send ? &vi->sends : &vi->receives, transfer);
  vi->unrung = true;
}

struct transfer *vi_poll(struct vi *vi) {
  struct transfer *next = queue_take(&vi->complete);
  if (next == NULL && vi->unrung) {
    vi->unrung = false;
    if (vi->connected) {
      write_out(vi);
      if (vi->stage == WAITING) {
        read_in(vi);
      }
      next = queue_take(&vi->complete);
    }
  }
  if (next == NULL && vi->connected) {
    if (is_pending(vi)) {
      write_out(vi);
    }
    read_in(vi);
    next = queue_take(&vi->complete);
  }
  return next;
}

void vi_park(struct vi *vi, int64_t nanos) {
  bool has_room = vi->in_end - vi->in_start < read_ahead_bytes(vi);
  uint32_t events =
      (has_room ? (uint32_t)EPOLLIN : 0) | (is_pending(vi) ? (uint32_t)EPOLLOUT : 0);
  struct epoll_event event = {.events = events};
  if (events != vi->events) {
    vi->events = events;
    if (epoll_ctl(vi->epoll, EPOLL_CTL_MOD, vi->socket, &event) != 0) {
      fail("epoll_ctl");
    }
  }
  int64_t millis = nanos / 1000000;
  epoll_wait(vi->epoll, &event, 1, millis < 1 ? 1 : (int)millis);
}

void vi_close(struct vi *vi) {
  int flags = fcntl(vi->socket, F_GETFL);
  fcntl(vi->socket, F_SETFL, flags & ~O_NONBLOCK);
  put_header(vi, 0, 0, GOODBYE);
  if (write(vi->socket, vi->out, vi->out_end) > 0) { /* else the peer has closed its side too */
    shutdown(vi->socket, SHUT_WR);
    while (read(vi->socket, vi->in, sizeof vi->in) > 0) {
    }
  }
  close(vi->socket);
  close(vi->epoll);
  free(vi);
}
