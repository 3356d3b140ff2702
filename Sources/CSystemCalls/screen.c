#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// The terminal as it was. Written before `is_taken` is set, and read after that by signal handlers.
static struct termios usual;
static int input_of_screen, output_of_screen;
static atomic_int is_taken;

static void put(const char *sequence) {
  size_t length = strlen(sequence);
  while (length > 0) {
    ssize_t count = write(output_of_screen, sequence, length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    sequence += count;
    length -= (size_t)count;
  }
}

// A process in the background would be stopped for changing the terminal.
static int change_mode(const struct termios *mode) {
  sigset_t output, old;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &output, &old);
  int status = tcsetattr(input_of_screen, TCSANOW, mode);
  int problem = status == 0 ? 0 : errno;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return problem;
}

void csystem_end_screen(void) {
  if (atomic_exchange(&is_taken, 0) == 0) return;
  int problem = errno;
  // The end of styles, the cursor, the other screen.
  put("\033[0m\033[?25h\033[?1049l");
  change_mode(&usual);
  errno = problem;
}

static void end_by_signal(int signal) {
  csystem_end_screen();
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigaction(signal, &action, NULL);
  // Delivered as soon as this returns.
  kill(getpid(), signal);
}

static void restore_at_end(void) {
  static atomic_flag is_done = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&is_done)) return;
  atexit(csystem_end_screen);
  // Those for which this process does nothing else, and that would end it.
  static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction now;
    sigaction(signals[i], NULL, &now);
    if ((now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL) continue;
    struct sigaction action = {.sa_handler = end_by_signal};
    sigaction(signals[i], &action, NULL);
  }
}

int csystem_begin_screen(int input, int output) {
  if (atomic_load(&is_taken)) return 0;
  input_of_screen = input;
  output_of_screen = output;
  if (tcgetattr(input, &usual) != 0) return errno;
  restore_at_end();
  struct termios mode = usual;
  // Signals stay: Ctrl-C ends and Ctrl-Z stops. Ctrl-S would hold back what is drawn.
  mode.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN);
  mode.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  atomic_store(&is_taken, 1);
  int problem = change_mode(&mode);
  if (problem != 0) {
    atomic_store(&is_taken, 0);
    return problem;
  }
  put("\033[?1049h\033[?25l");
  return 0;
}

void csystem_stop_screen(void) {
  csystem_end_screen();
  signal(SIGTSTP, SIG_DFL);
  // To this thread, so that the process stops right here.
  sigset_t stop, old;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &stop, &old);
  raise(SIGTSTP);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  signal(SIGTSTP, SIG_IGN);
  csystem_begin_screen(input_of_screen, output_of_screen);
}

int csystem_rows(int fd) {
  struct winsize size;
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}
