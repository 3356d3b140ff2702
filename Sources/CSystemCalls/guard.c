#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

extern char **environ;

static void kill_group(int signal) {
  (void)signal;
  kill(0, SIGKILL);
}

/// Closes the standard descriptors, so that their other ends see when the program closes its own.
static void close_pipes(void) {
  for (int fd = 0; fd < 3; fd++) close(fd);
}

/// Ends this process in the same way as another.
static void end_like(int status) {
  if (WIFSIGNALED(status)) {
    int number = WTERMSIG(status);
    signal(number, SIG_DFL);
    kill(getpid(), number);
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

int csystem_fork_guarded(void) {
#ifdef __linux__
  pid_t parent = getppid();
  // Not SIGTERM, which asks the whole group to end in its own way.
  struct sigaction action = {.sa_handler = kill_group};
  if (sigaction(SIGUSR2, &action, NULL) != 0) return errno;
  signal(SIGTERM, SIG_IGN);
  if (prctl(PR_SET_PDEATHSIG, SIGUSR2) != 0) return errno;
  // The parent may have ended between the two calls; then the signal would never be sent.
  if (getppid() != parent) kill(0, SIGKILL);
#endif
  pid_t pid = fork();
  if (pid < 0) return errno;
  if (pid == 0) {
    signal(SIGUSR2, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    return 0;
  }
  close_pipes();
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) _exit(1);
  end_like(status);
  return 0;
}

int csystem_execute(const char *path, char *const argv[]) {
  execve(path, argv, environ);
  return errno;
}
