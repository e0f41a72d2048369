/* A listening socket, for the twins that make connections by one. */
#ifndef TIGRIS_NET_LISTEN_H
#define TIGRIS_NET_LISTEN_H

#include "net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int listening = -1;

static struct sockaddr_in parse(const char *address) {
  struct sockaddr_in parsed = {.sin_family = AF_INET};
  char host[64];
  uint16_t port;
  if (sscanf(address, "%63[0-9.]:%hu", host, &port) != 2 ||
      inet_pton(AF_INET, host, &parsed.sin_addr) != 1) {
    errno = EINVAL;
    fail(address);
  }
  parsed.sin_port = htons(port);
  return parsed;
}

const char *vi_listen(const char *address) {
  static char actual[64];
  struct sockaddr_in wanted = parse(address);
  socklen_t length = sizeof wanted;
  int on = 1;
  listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listening, (struct sockaddr *)&wanted, length) != 0 || listen(listening, 16) != 0 ||
      getsockname(listening, (struct sockaddr *)&wanted, &length) != 0) {
    fail(address);
  }
  char host[INET_ADDRSTRLEN];
  inet_ntop(AF_INET, &wanted.sin_addr, host, sizeof host);
  snprintf(actual, sizeof actual, "%s:%u", host, ntohs(wanted.sin_port));
  return actual;
}

#endif
