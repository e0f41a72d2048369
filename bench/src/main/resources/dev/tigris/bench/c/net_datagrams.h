/* How net_libfabric.c makes and loses connections over an endpoint that knows none: RdmCarrier,
   RdmDoor, Card and Switchboard. One share of the endpoint at a time. */
#include "net_listen.h"

enum {
  CARD_BYTES = 256, /* Card */
  NAME_BYTES = 188,
  POLLS_BETWEEN_LOOKS = 64 /* Switchboard */
};

static const int64_t QUIET_NANOS = INT64_C(20000000);    /* LibfabricLink */
static const int64_t GREET_NANOS = INT64_C(2000000000); /* RdmCarrier */

struct card {
  struct greeting greeting;
  uint64_t number;
  char provider[16];
  uint32_t length;
  unsigned char name[NAME_BYTES];
};

_Static_assert(sizeof(struct card) == CARD_BYTES, "the layout of Card");

/* What this side is, once the station is open. */
static struct card mine;

static bool is_one_of(const char *provider, const char *const *names) {
  for (; *names != NULL; names++) {
    if (strcmp(provider, *names) == 0) {
      return true;
    }
  }
  return false;
}

/* Addresses: the first endpoints of some providers; NULL if there are none. */
static struct fi_info *find(const char *host, uint64_t flags, const char *const *providers) {
  struct fi_info *hints = fi_allocinfo();
  struct fi_info *list = NULL;
  hints->caps = FI_MSG;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->tx_attr->msg_order = FI_ORDER_SAS;
  hints->rx_attr->msg_order = FI_ORDER_SAS;
  int result =
      fi_getinfo(FI_VERSION(1, 17), host, host == NULL ? NULL : "0", flags, hints, &list);
  fi_freeinfo(hints);
  if (result == -FI_ENODATA) {
    return NULL;
  }
  check("fi_getinfo", result);
  struct fi_info *first = NULL;
  for (struct fi_info *each = list; each != NULL && first == NULL; each = each->next) {
    if (is_one_of(each->fabric_attr->prov_name, providers) &&
        each->ep_attr->max_msg_size >= PREFIX_BYTES + PACKET_BYTES) {
      first = fi_dupinfo(each);
    }
  }
  fi_freeinfo(list);
  return first;
}

/* Opens the endpoint that all connections share, at the address of a socket. */
static void open_station(int socket) {
  if (station.fabric != NULL) {
    return;
  }
  static const char *const rdma[] = {"efa", "cxi", "opx", "psm2", "psm3", NULL};
  static const char *const sockets[] = {"tcp", "net", NULL};
  struct sockaddr_in here;
  socklen_t size = sizeof here;
  char host[INET_ADDRSTRLEN];
  if (getsockname(socket, (struct sockaddr *)&here, &size) != 0) {
    fail("getsockname");
  }
  inet_ntop(AF_INET, &here.sin_addr, host, sizeof host);
  setenv("FI_MR_CACHE_MONITOR", "disabled", 0);
  struct fi_info *info = find(NULL, 0, rdma);
  if (info == NULL) {
    info = find(host, FI_NUMERICHOST | FI_SOURCE, sockets);
  }
  if (info == NULL) {
    errno = 0;
    fail("libfabric has no endpoints for datagrams at this address");
  }
  struct fi_av_attr for_peers = {0};
  check("fi_fabric", fi_fabric(info->fabric_attr, &station.fabric, NULL));
  open_device(info);
  check("fi_av_open", fi_av_open(station.domain, &for_peers, &station.peers, NULL));
  check("fi_endpoint", fi_endpoint(station.domain, info, &station.endpoint, NULL));
  check("fi_ep_bind", fi_ep_bind(station.endpoint, &station.peers->fid, 0));
  check("fi_ep_bind",
        fi_ep_bind(station.endpoint, &station.completions->fid, FI_TRANSMIT | FI_RECV));
  check("fi_enable", fi_enable(station.endpoint));
  size_t length = NAME_BYTES;
  check("fi_getname", fi_getname(&station.endpoint->fid, mine.name, &length));
  mine.length = (uint32_t)length;
  snprintf(mine.provider, sizeof mine.provider, "%s", info->fabric_attr->prov_name);
  fi_freeinfo(info);
}

static bool is_addressee(const struct vi *vi, const struct buffer *buffer, size_t bytes) {
  uint64_t number;
  memcpy(&number, buffer->memory - PREFIX_BYTES, PREFIX_BYTES);
  return bytes >= PREFIX_BYTES && number == vi->number;
}

static bool is_to_look(void) { return station.polls + 1 >= POLLS_BETWEEN_LOOKS; }

static void look_at_peer(struct vi *vi) {
  if (++station.polls < POLLS_BETWEEN_LOOKS) {
    return;
  }
  station.polls = 0;
  if (poll(&station.files[1], 1, 0) > 0) {
    vi->quiet_since = vi->peer_closed ? vi->quiet_since : now_nanos();
    vi->peer_closed = true;
    vi->stuck = true;
  }
}

static bool is_lost(struct vi *vi) {
  vi->stuck = now_nanos() - vi->quiet_since < QUIET_NANOS;
  return !vi->stuck;
}

/* What is posted to the endpoint stays there, for the next connection. */
static void release(struct vi *vi) {
  if (vi->endpoint == NULL) {
    return;
  }
  vi->endpoint = NULL;
  while (vi->unposted_count > 0) {
    give_back(vi->unposted[--vi->unposted_count]);
  }
  while (vi->held_count > 0) {
    give_back(held_at(vi, --vi->held_count)->buffer);
  }
  station.files[1].fd = -1;
  close(vi->line);
  check("fi_av_remove", fi_av_remove(station.peers, &vi->peer, 1, 0));
}

/* A new interface beside the end of a socket, with its receives posted. */
static struct vi *made(int socket) {
  open_station(socket);
  struct vi *vi = calloc(1, sizeof *vi);
  vi->endpoint = station.endpoint;
  vi->line = socket;
  vi->number = random_number() << 16;
  for (int i = station.posted; i < WINDOW + SPARE_RECEIVES; i++) {
    vi->unposted[vi->unposted_count++] = take_buffer(&station.packets);
  }
  post_receives(vi);
  return vi;
}

static void leave_card(struct vi *vi, uint32_t answer, uint64_t tag) {
  mine.greeting = greeting(answer, tag);
  mine.number = vi->number;
  vi->out_sequence = mine.greeting.sequence;
  if (write(vi->line, &mine, CARD_BYTES) != CARD_BYTES) {
    fail("the peer has closed");
  }
}

static void take_card(struct vi *vi, const struct card *theirs, uint32_t answer, uint64_t *tag) {
  take_greeting(vi, (const unsigned char *)&theirs->greeting, GREETING_BYTES, answer, tag);
  if (memcmp(theirs->provider, mine.provider, sizeof mine.provider) != 0 ||
      theirs->length != mine.length) {
    errno = 0;
    fail("the peer has another provider of libfabric");
  }
  vi->peer_number = theirs->number;
  if (fi_av_insert(station.peers, theirs->name, 1, &vi->peer, 0, NULL) != 1) {
    errno = 0;
    fail("the peer's endpoint cannot be reached");
  }
  station.files[1].fd = vi->line;
  vi->connected = true;
}

static void read_card(int socket, struct card *theirs) {
  if (recv(socket, theirs, CARD_BYTES, MSG_WAITALL) != CARD_BYTES) {
    errno = 0;
    fail("the peer leaves no card");
  }
}

/* Waits until both sides have heard of each other: LibfabricPort. */
static void await_greeting(struct vi *vi) {
  int64_t start = now_nanos();
  vi->stuck = true;
  while (!vi->greeted || !vi->heard) {
    if (now_nanos() - start > GREET_NANOS) {
      errno = ETIMEDOUT;
      fail("connect");
    }
    progress(vi);
    sched_yield();
  }
}

struct vi *vi_accept(uint64_t *tag) {
  int accepted = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
  if (accepted < 0) {
    fail("accept");
  }
  struct card theirs;
  read_card(accepted, &theirs);
  struct vi *vi = made(accepted);
  take_card(vi, &theirs, 0, tag);
  leave_card(vi, 1, *tag);
  await_greeting(vi);
  return vi;
}

struct vi *vi_connect(const char *address, uint64_t tag) {
  struct sockaddr_in remote = parse(address);
  int connected = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(connected, (struct sockaddr *)&remote, sizeof remote) != 0) {
    fail(address);
  }
  struct vi *vi = made(connected);
  vi->speaks_first = true;
  leave_card(vi, 0, tag);
  struct card theirs;
  uint64_t repeated;
  read_card(connected, &theirs);
  take_card(vi, &theirs, 1, &repeated);
  await_greeting(vi);
  return vi;
}
