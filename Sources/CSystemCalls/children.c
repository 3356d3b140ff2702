#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

// A signal handler reads them at any moment, so there is no lock.
static _Atomic pid_t children[4096];

static void replace(pid_t old, pid_t new) {
  for (size_t i = 0; i < sizeof children / sizeof *children; i++) {
    pid_t expected = old;
    if (atomic_compare_exchange_strong(&children[i], &expected, new)) return;
  }
}

void csystem_register_child(pid_t pid) { replace(0, pid); }

void csystem_unregister_child(pid_t pid) { replace(pid, 0); }

// The signals by which a program ends when it cannot go on, and for which Swift prints a trace.
static const int crashes[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
static struct sigaction before[sizeof crashes / sizeof *crashes];

// Printing a trace takes time and may never return to the program.
static void end_in_any_case(void) {
#ifdef __linux__
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
  struct itimerspec bound = {.it_value = {.tv_sec = CSYSTEM_TRACE_SECONDS}};
  int timer;
  if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0)
    syscall(SYS_timer_settime, timer, 0, &bound, NULL);
#endif
}

static void kill_children(void) {
  for (size_t i = 0; i < sizeof children / sizeof *children; i++) {
    pid_t pid = atomic_load(&children[i]);
    if (pid <= 1) continue;
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
  }
}

static void handle_crash(int signal, siginfo_t *info, void *context) {
  int problem = errno;
  kill_children();
  // The trace is to be read.
  csystem_end_screen();
  end_in_any_case();
  errno = problem;
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
    if (crashes[i] != signal) continue;
    if (before[i].sa_flags & SA_SIGINFO) return before[i].sa_sigaction(signal, info, context);
    if (before[i].sa_handler != SIG_DFL && before[i].sa_handler != SIG_IGN)
      return before[i].sa_handler(signal);
    // The signal is raised again as soon as this returns.
    sigaction(signal, &before[i], NULL);
#ifdef __linux__
    syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), signal);
#else
    raise(signal);
#endif
  }
}

void csystem_kill_children_at_crash(void) {
  static atomic_flag is_done = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&is_done)) return;
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
    sigaction(crashes[i], NULL, &before[i]);
    struct sigaction action = before[i];
    // An ignored signal does not end this process.
    if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN) continue;
    action.sa_sigaction = handle_crash;
    action.sa_flags |= SA_SIGINFO | SA_ONSTACK;
    action.sa_flags &= ~(int)SA_RESETHAND;
    sigaction(crashes[i], &action, NULL);
  }
}

// A signal that comes while a child is being started waits until it is registered.
static _Atomic int making;
static _Atomic int deferred;

static void terminate(int signal) {
  atomic_store(&deferred, signal);
  if (atomic_load(&making) > 0 || atomic_exchange(&deferred, 0) == 0) return;
  kill_children();
  csystem_end_screen();
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigaction(signal, &action, NULL);
  // Delivered as soon as this returns.
  kill(getpid(), signal);
}

void csystem_kill_children_at_termination(void) {
  static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction now;
    sigaction(signals[i], NULL, &now);
    // Swift has taken SIGQUIT for a trace, after which the program would go on.
    int is_free = signals[i] == SIGQUIT ? now.sa_handler != SIG_IGN : now.sa_handler == SIG_DFL;
    if (!is_free) continue;
    struct sigaction action = {.sa_handler = terminate, .sa_flags = SA_RESTART};
    sigaction(signals[i], &action, NULL);
  }
}

int csystem_spawn_registered(const char *path, char *const argv[], char *const envp[], int input,
                       int output, int error, pid_t *pid) {
  atomic_fetch_add(&making, 1);
  int problem = csystem_spawn(path, argv, envp, input, output, error, pid);
  if (problem == 0) csystem_register_child(*pid);
  if (atomic_fetch_sub(&making, 1) == 1) {
    int signal = atomic_exchange(&deferred, 0);
    if (signal != 0) kill(getpid(), signal);
  }
  return problem;
}
