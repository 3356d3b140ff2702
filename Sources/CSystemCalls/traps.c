#define _GNU_SOURCE
#include "traps.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

typedef struct sockaddr_in address;

static volatile sig_atomic_t makes_pairs;

static int is_own(int descriptor, const address *peer) {
  address own;
  socklen_t size = sizeof own;
  return getsockname(descriptor, (struct sockaddr *)&own, &size) == 0 &&
         own.sin_port == peer->sin_port && own.sin_addr.s_addr == peer->sin_addr.s_addr;
}

/// Accepts the connection from this socket; any other that has connected meanwhile is
/// closed.
static int accept_from(int client, int listener, int flags) {
  for (int tries = 0; tries < 16; tries++) {
    address peer;
    socklen_t size = sizeof peer;
    int accepted = accept4(listener, (struct sockaddr *)&peer, &size, flags);
    if (accepted < 0 || is_own(client, &peer)) return accepted;
    close(accepted);
  }
  errno = ECONNABORTED;
  return -1;
}

/// Connects a loopback socket to another.
static int connect_to_own(int client, int flags) {
  address place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof place;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return -1;
  int other = -1;
  if (bind(listener, (struct sockaddr *)&place, size) == 0 && listen(listener, 4) == 0 &&
      getsockname(listener, (struct sockaddr *)&place, &size) == 0 &&
      connect(client, (struct sockaddr *)&place, size) == 0)
    other = accept_from(client, listener, flags);
  int problem = errno;
  close(listener);
  errno = problem;
  return other;
}

/// Makes two internet sockets connected to each other; unlike an AF_UNIX pair, they carry nothing
/// but bytes. Returns 0 or an errno.
static int make_pair(int kind, int ends[2]) {
  int flags = kind & (SOCK_CLOEXEC | SOCK_NONBLOCK);
  int client = socket(AF_INET, SOCK_STREAM | (kind & SOCK_CLOEXEC), 0);
  if (client < 0) return errno;
  int other = connect_to_own(client, flags);
  if (other < 0) {
    int problem = errno;
    close(client);
    return problem;
  }
  if (kind & SOCK_NONBLOCK) fcntl(client, F_SETFL, O_RDWR | O_NONBLOCK);
  ends[0] = client;
  ends[1] = other;
  return 0;
}

static void explain(void) {
  static atomic_flag is_explained = ATOMIC_FLAG_INIT;
  static const char words[] =
      "worker: the sandbox refused a socket: an agent that needs the network declares it with"
      " 'let permissions: [Permission] = [.network]', and a person allows it with --allow\n";
  if (!atomic_flag_test_and_set(&is_explained)) {
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
  }
}

/// Calls only what may be called in a signal handler.
static void answer(int signal, siginfo_t *info, void *context) {
  (void)signal;
  int kept = errno;
  ucontext_t *interrupted = context;
#if defined(__x86_64__)
  greg_t *registers = interrupted->uc_mcontext.gregs;
  int kind = (int)registers[REG_RSI];
  int *ends = (int *)registers[REG_R10];
#else
  unsigned long long *registers = interrupted->uc_mcontext.regs;
  int kind = (int)registers[1];
  int *ends = (int *)registers[3];
#endif
  int problem = EPERM;
  if (info->si_syscall != SYS_socketpair)
    explain();
  else if (makes_pairs)
    problem = make_pair(kind, ends);
#if defined(__x86_64__)
  registers[REG_RAX] = -problem;
#else
  registers[0] = (uint64_t)-problem;
#endif
  errno = kept;
}

void csystem_answer_traps(int makes_own_pairs) {
  makes_pairs = makes_own_pairs;
  struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_RESTART};
  // No other signal is handled meanwhile, because it would interrupt what is done here.
  sigfillset(&action.sa_mask);
  sigaction(SIGSYS, &action, NULL);
}
#endif
