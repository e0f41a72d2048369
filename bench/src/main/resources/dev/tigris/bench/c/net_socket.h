/* What the twins over sockets have in common: frames, and how connections are made. Each of them
   includes it once, and says what it makes of a connected socket. */
#ifndef TIGRIS_NET_SOCKET_H
#define TIGRIS_NET_SOCKET_H

#include "net_listen.h"

#include <netinet/tcp.h>

enum {
  HEADER_BYTES = 16,
  HELLO_BYTES = 32,
  MESSAGE = 1,
  GOODBYE = 2,
  INTS = 4,
  LARGEST_BYTES = 1 << 30
};

enum stage { HEADER, WAITING, FILLING };

struct header {
  uint32_t length, tag, kind, sequence;
};

struct hello {
  char magic[8];
  uint32_t version, answer;
  uint64_t tag, maximum_bytes;
};

static void greet(int socket, uint32_t answer, uint64_t tag) {
  struct hello hello = {"TIGRISVI", 1, answer, tag, LARGEST_BYTES};
  if (write(socket, &hello, HELLO_BYTES) != HELLO_BYTES) {
    fail("greet");
  }
}

/* Returns whether it was one. */
static bool read_greeting(int socket, uint32_t answer, uint64_t *tag) {
  struct hello hello;
  if (recv(socket, &hello, HELLO_BYTES, MSG_WAITALL) != HELLO_BYTES ||
      memcmp(hello.magic, "TIGRISVI", 8) != 0 || hello.version != 1 || hello.answer != answer) {
    return false;
  }
  *tag = hello.tag;
  return true;
}

/* A new interface over a connected socket. */
static struct vi *made(int socket);

struct vi *vi_accept(uint64_t *tag) {
  while (true) {
    int accepted = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (accepted < 0) {
      fail("accept");
    }
    if (read_greeting(accepted, 0, tag)) {
      greet(accepted, 1, *tag);
      return made(accepted);
    }
    close(accepted); /* somebody who looks for another server, which had this port before */
  }
}

struct vi *vi_connect(const char *address, uint64_t tag) {
  struct sockaddr_in remote = parse(address);
  int connected = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(connected, (struct sockaddr *)&remote, sizeof remote) != 0) {
    fail(address);
  }
  greet(connected, 0, tag);
  uint64_t answered;
  if (!read_greeting(connected, 1, &answered)) {
    errno = 0;
    fail("greeting");
  }
  return made(connected);
}

#endif
