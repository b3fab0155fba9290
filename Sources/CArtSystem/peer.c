// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

// What the kernel's answer says of the end `id`.
static enum csystem_peer peer_in(const void *answer, ssize_t size, const struct inet_diag_sockid *id) {
  const struct nlmsghdr *head = answer;
  if (size < 0 || !NLMSG_OK(head, (size_t)size)) return csystem_peer_unknown;
  if (head->nlmsg_type == NLMSG_ERROR) {
    const struct nlmsgerr *error = NLMSG_DATA(head);
    if (head->nlmsg_len < NLMSG_LENGTH(sizeof *error)) return csystem_peer_unknown;
    return error->error == -ENOENT ? csystem_peer_none : csystem_peer_unknown;
  }
  const struct inet_diag_msg *found = NLMSG_DATA(head);
  if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY || head->nlmsg_len < NLMSG_LENGTH(sizeof *found)) return csystem_peer_unknown;
  // Where there is no such connection, the kernel names a socket that listens at the port.
  if (found->idiag_state != TCP_ESTABLISHED || found->id.idiag_sport != id->idiag_sport || found->id.idiag_dport != id->idiag_dport) {
    return csystem_peer_none;
  }
  return found->idiag_uid == getuid() ? csystem_peer_own : csystem_peer_other;
}

enum csystem_peer csystem_loopback_peer(uint16_t peer, uint16_t port, bool is_v6) {
  int descriptor = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (descriptor < 0) return csystem_peer_unknown;
  struct {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
  } request = {
      .head = {.nlmsg_len = sizeof request, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
      .body = {
          .sdiag_family = is_v6 ? AF_INET6 : AF_INET,
          .sdiag_protocol = IPPROTO_TCP,
          .idiag_states = ~0u,
          .id = {
              .idiag_sport = htons(peer),
              .idiag_dport = htons(port),
              .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE},
          },
      },
  };
  // ::1 ends with 1.
  const int word = is_v6 ? 3 : 0;
  request.body.id.idiag_src[word] = request.body.id.idiag_dst[word] = htonl(is_v6 ? 1 : INADDR_LOOPBACK);
  enum csystem_peer result = csystem_peer_unknown;
  if (send(descriptor, &request, sizeof request, 0) == sizeof request) {
    // The kernel has answered when `send` returns.
    _Alignas(struct nlmsghdr) char answer[4096];
    result = peer_in(answer, recv(descriptor, answer, sizeof answer, MSG_DONTWAIT), &request.body.id);
  }
  close(descriptor);
  return result;
}
