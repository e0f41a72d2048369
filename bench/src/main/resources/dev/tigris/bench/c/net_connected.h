/* How net_libfabric.c makes and loses connections of the library: LibfabricCarrier, LibfabricDoor
   and ConnectedLink. */

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
  check("fi_fabric", fi_fabric(info->fabric_attr, &station.fabric, NULL));
  check("fi_eq_open", fi_eq_open(station.fabric, &for_events, &station.events, NULL));
  check("fi_control", fi_control(&station.events->fid, FI_GETWAIT, &station.files[1].fd));
  open_device(info);
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

static bool is_addressee(const struct vi *vi, const struct buffer *buffer, size_t bytes) {
  (void)vi;
  (void)buffer;
  (void)bytes;
  return true;
}

static bool is_to_look(void) { return station.polls + 1 >= POLLS_BETWEEN_EVENTS; }

static void look_at_peer(struct vi *vi) {
  if (++station.polls < POLLS_BETWEEN_EVENTS) {
    return;
  }
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

static bool is_lost(struct vi *vi) {
  (void)vi;
  return true;
}

/* What was posted to an endpoint that is closed comes back failed, or never. */
static void reclaim(struct vi *vi) {
  while (take_completions(vi) > 0) {
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
  reclaim(vi);
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

/* A new interface over an endpoint that is to be connected, with its receives posted. */
static struct vi *made(struct fi_info *info) {
  open_station(info);
  struct vi *vi = calloc(1, sizeof *vi);
  vi->greeted = true;
  vi->heard = true;
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
