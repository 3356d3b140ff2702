#define _GNU_SOURCE
#include "CSystemSandbox.h"

#include <errno.h>

#ifdef __linux__
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif
#endif

#ifdef OWN_ARCHITECTURE

// Calls that change nothing but this process and what it has open, or what Landlock watches over.
static const int common_calls[] = {
    // Memory
    SYS_brk, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_msync, SYS_mincore, SYS_mlock,
    SYS_munlock, SYS_mlock2, SYS_membarrier,
    // Threads and waiting
    SYS_futex, SYS_futex_waitv, SYS_set_robust_list, SYS_set_tid_address, SYS_rseq, SYS_gettid,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler,
    SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_getpriority, SYS_getcpu, SYS_exit,
    SYS_exit_group, SYS_wait4, SYS_waitid, SYS_restart_syscall,
    // Signals
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_rt_sigsuspend,
    SYS_rt_sigtimedwait, SYS_sigaltstack, SYS_signalfd4,
    // Time
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
    SYS_times, SYS_getitimer, SYS_setitimer, SYS_timer_create, SYS_timer_settime,
    SYS_timer_gettime, SYS_timer_getoverrun, SYS_timer_delete, SYS_timerfd_create,
    SYS_timerfd_settime, SYS_timerfd_gettime,
    // What is open
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv, SYS_pwritev,
    SYS_preadv2, SYS_pwritev2, SYS_lseek, SYS_close, SYS_close_range, SYS_dup, SYS_dup3, SYS_pipe2,
    SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_epoll_pwait2,
    SYS_eventfd2, SYS_ftruncate, SYS_fallocate, SYS_fsync, SYS_fdatasync, SYS_sync_file_range,
    SYS_flock, SYS_fadvise64, SYS_readahead, SYS_copy_file_range, SYS_sendfile,
    SYS_fgetxattr, SYS_flistxattr, SYS_getdents64,
    // Files by path
    SYS_openat, SYS_openat2, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_faccessat2,
    SYS_readlinkat, SYS_getcwd, SYS_chdir, SYS_fchdir, SYS_mkdirat, SYS_unlinkat, SYS_renameat2,
    SYS_linkat, SYS_symlinkat, SYS_umask, SYS_statfs, SYS_fstatfs, SYS_getxattr, SYS_lgetxattr,
    SYS_listxattr, SYS_llistxattr,
    // Facts
    SYS_getpid, SYS_getppid, SYS_getpgid, SYS_getsid, SYS_getuid, SYS_geteuid, SYS_getgid,
    SYS_getegid, SYS_getgroups, SYS_getresuid, SYS_getresgid, SYS_getrusage, SYS_sysinfo,
    SYS_uname, SYS_getrandom,
#ifdef __x86_64__
    SYS_open, SYS_creat, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_mkdir, SYS_rmdir,
    SYS_unlink, SYS_rename, SYS_renameat, SYS_link, SYS_symlink, SYS_getdents, SYS_pipe, SYS_dup2,
    SYS_poll, SYS_select, SYS_epoll_create, SYS_epoll_wait, SYS_eventfd, SYS_signalfd, SYS_time,
    SYS_alarm, SYS_pause, SYS_getpgrp, SYS_arch_prctl,
#else
    SYS_renameat,
#endif
};

// What a template needs to make its forks processes of their own, and to confine them further.
static const int fork_calls[] = {
    SYS_setpgid, SYS_sendmsg, SYS_recvmsg, SYS_capget, SYS_capset, SYS_seccomp,
    SYS_landlock_create_ruleset, SYS_landlock_add_rule, SYS_landlock_restrict_self,
};

static const int network_calls[] = {
    SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_getsockname, SYS_getpeername,
    SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg, SYS_sendmmsg, SYS_recvmmsg, SYS_shutdown,
    SYS_setsockopt, SYS_getsockopt,
};

static const int program_calls[] = {
    // Who moves a stack can make it grow, and a stack is not counted; libc's realloc copies instead.
    SYS_mremap, SYS_execve, SYS_execveat, SYS_setpgid, SYS_setsid, SYS_kill, SYS_tgkill,
    SYS_tkill,
#ifdef __x86_64__
    SYS_fork, SYS_vfork,
#endif
};

struct program {
  struct sock_filter lines[1024];
  unsigned short count;
};

static void add(struct program *program, struct sock_filter line) {
  if (program->count < sizeof program->lines / sizeof *program->lines)
    program->lines[program->count++] = line;
}

static void add_return(struct program *program, uint32_t action) {
  add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/// Skips so many lines unless what was loaded is this.
static void add_unless(struct program *program, uint32_t value, uint8_t lines) {
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, lines));
}

static void load(struct program *program, size_t offset) {
  add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/// Loads the low half of an argument: all that the kernel looks at where it takes an int.
static void load_argument(struct program *program, int number) {
  size_t offset = offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (size_t)number;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  offset += sizeof(uint32_t);
#endif
  load(program, offset);
}

static void allow(struct program *program, const int *calls, size_t size) {
  for (size_t i = 0; i < size / sizeof *calls; i++) {
    add_unless(program, (uint32_t)calls[i], 1);
    add_return(program, SECCOMP_RET_ALLOW);
  }
}

/// Allows a call when an argument is one of these values.
static void allow_when(struct program *program, int call, int argument, const uint32_t *values,
                       uint8_t count) {
  add_unless(program, (uint32_t)call, (uint8_t)(2 + 2 * count));
  load_argument(program, argument);
  for (int i = 0; i < count; i++) {
    add_unless(program, values[i], 1);
    add_return(program, SECCOMP_RET_ALLOW);
  }
  add_return(program, SECCOMP_RET_ERRNO | EPERM);
}

/// Allows a call unless an argument is one of these values.
static void allow_unless(struct program *program, int call, int argument, const uint32_t *values,
                         uint8_t count) {
  add_unless(program, (uint32_t)call, (uint8_t)(2 + 2 * count));
  load_argument(program, argument);
  for (int i = 0; i < count; i++) {
    add_unless(program, values[i], 1);
    add_return(program, SECCOMP_RET_ERRNO | EPERM);
  }
  add_return(program, SECCOMP_RET_ALLOW);
}

/// Allows a call when two arguments have these values, as ints.
static void allow_when_both(struct program *program, int call, int one, uint32_t value, int other,
                            uint32_t other_value) {
  add_unless(program, (uint32_t)call, 6);
  load_argument(program, one);
  add_unless(program, value, 3);
  load_argument(program, other);
  add_unless(program, other_value, 1);
  add_return(program, SECCOMP_RET_ALLOW);
  add_return(program, SECCOMP_RET_ERRNO | EPERM);
}

#define COUNT(values) ((uint8_t)(sizeof(values) / sizeof *(values)))

/// Memory that is counted. What can be shared is not, unless it is a file, and a stack that grows is
/// not; programs are left to it.
static void allow_memory(struct program *program, int calls) {
  add_unless(program, SYS_mmap, calls & csystem_calls_programs ? 1 : 6);
  if (!(calls & csystem_calls_programs)) {
    load_argument(program, 3);
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_GROWSDOWN, 2, 0));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 2));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 0, 1));
    add_return(program, SECCOMP_RET_ERRNO | EPERM);
  }
  add_return(program, SECCOMP_RET_ALLOW);
}

/// New threads; new processes only where they are wanted, and never new namespaces.
static void allow_clone(struct program *program, int calls) {
  uint32_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                        CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
  // Its flags stand in memory, where no filter can see them; libc then asks for clone instead.
  add_unless(program, SYS_clone3, 1);
  add_return(program, SECCOMP_RET_ERRNO | ENOSYS);
  add_unless(program, SYS_clone, 6);
  load_argument(program, 0);
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, namespaces, 2, 0));
  if (calls & csystem_calls_programs)
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 2, 0, 0));
  else
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 2, 0));
  // No flags have this value where forking is not wanted.
  uint32_t wanted = calls & csystem_calls_fork ? CLONE_PARENT | SIGCHLD : UINT32_MAX;
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, wanted, 1, 0));
  add_return(program, SECCOMP_RET_ERRNO | EPERM);
  add_return(program, SECCOMP_RET_ALLOW);
}

/// Signals to nobody but this process; a template's forks have other numbers and filters of their
/// own.
static void allow_signals(struct program *program, int calls) {
  if (calls & csystem_calls_fork) {
    static const int signals[] = {SYS_kill, SYS_tgkill};
    allow(program, signals, sizeof signals);
    return;
  }
  uint32_t own = (uint32_t)getpid();
  allow_when(program, SYS_kill, 0, &own, 1);
  allow_when(program, SYS_tgkill, 0, &own, 1);
}

/// The mode and the time of a file that is open, and not of one that is named.
///
/// An agent may have opened it only to read it, which nobody can tell here: for an agent that is said to
/// be done and is not, so that it can still copy files.
static void allow_changes(struct program *program, int calls) {
  uint32_t action = calls & csystem_calls_fork ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO;
  add_unless(program, SYS_fchmod, 1);
  add_return(program, action);
  add_unless(program, SYS_utimensat, 6);
  load_argument(program, 1);
  add_unless(program, 0, 3);
  load(program, offsetof(struct seccomp_data, args) + sizeof(uint64_t) + sizeof(uint32_t));
  add_unless(program, 0, 1);
  add_return(program, action);
  add_return(program, SECCOMP_RET_ERRNO | EPERM);
}

static void allow_settings(struct program *program, int calls) {
  static const uint32_t terminal[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};
  // What somebody else would have typed.
  static const uint32_t typing[] = {TIOCSTI, TIOCLINUX};
  static const uint32_t own[] = {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_SET_VMA,
                                 PR_GET_PDEATHSIG};
  static const uint32_t further[] = {PR_SET_NAME,         PR_GET_NAME,      PR_GET_DUMPABLE,
                                     PR_SET_VMA,          PR_GET_PDEATHSIG, PR_SET_PDEATHSIG,
                                     PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT};
  // It would outlive its coordinator.
  static const uint32_t surviving[] = {PR_SET_PDEATHSIG};
  if ((calls & csystem_calls_fork) && (calls & csystem_calls_programs))
    allow(program, (const int[]){SYS_prctl}, sizeof(int));
  else if (calls & csystem_calls_fork)
    allow_when(program, SYS_prctl, 0, further, COUNT(further));
  else if (calls & csystem_calls_programs)
    allow_unless(program, SYS_prctl, 0, surviving, COUNT(surviving));
  else
    allow_when(program, SYS_prctl, 0, own, COUNT(own));
  if (calls & csystem_calls_programs)
    allow_unless(program, SYS_ioctl, 1, typing, COUNT(typing));
  else
    allow_when(program, SYS_ioctl, 1, terminal, COUNT(terminal));
  // Input and output can be turned into signals for others.
  static const uint32_t owners[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG};
  if (calls & csystem_calls_fork)
    allow(program, (const int[]){SYS_fcntl}, sizeof(int));
  else
    allow_unless(program, SYS_fcntl, 1, owners, COUNT(owners));
  static const uint32_t itself[] = {0};
  allow_when(program, SYS_prlimit64, 0, itself, 1);
  allow_when(program, SYS_sched_setaffinity, 0, itself, 1);
  // Without capabilities, and without a limit that allows more, it gives nothing that others have not.
  allow_when(program, SYS_sched_setattr, 0, itself, 1);
  allow_when_both(program, SYS_setpriority, 0, PRIO_PROCESS, 1, 0);
  allow_changes(program, calls);
}

static void allow_sockets(struct program *program, int calls) {
  if (calls & csystem_calls_network) {
    static const uint32_t families[] = {AF_INET, AF_INET6};
    allow_when(program, SYS_socket, 0, families, COUNT(families));
    allow(program, network_calls, sizeof network_calls);
  } else if (!(calls & (csystem_calls_fork | csystem_calls_programs))) {
    // So that the log can say what a library's "Operation not permitted" leaves out; libc itself
    // asks local services for names, and does without.
    add_unless(program, SYS_socket, 4);
    load_argument(program, 0);
    add_unless(program, AF_UNIX, 1);
    add_return(program, SECCOMP_RET_ERRNO | EPERM);
    add_return(program, SECCOMP_RET_TRAP);
  }
}

static void explain(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  static atomic_flag is_explained = ATOMIC_FLAG_INIT;
  static const char words[] =
      "worker: the sandbox refused a socket: an agent that needs the network declares it with"
      " 'let permissions: [Permission] = [.network]', and a person allows it with --allow\n";
  if (!atomic_flag_test_and_set(&is_explained)) {
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
  }
  ucontext_t *interrupted = context;
#if defined(__x86_64__)
  interrupted->uc_mcontext.gregs[REG_RAX] = -EPERM;
#else
  interrupted->uc_mcontext.regs[0] = (uint64_t)-EPERM;
#endif
}

int csystem_can_filter_calls(void) {
  uint32_t action = SECCOMP_RET_TRAP;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

int csystem_filter_calls(int calls) {
  struct program program = {.count = 0};
  load(&program, offsetof(struct seccomp_data, arch));
  add_unless(&program, OWN_ARCHITECTURE, 1);
  add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0));
  add_return(&program, SECCOMP_RET_KILL_PROCESS);
  load(&program, offsetof(struct seccomp_data, nr));
  allow(&program, common_calls, sizeof common_calls);
  if (calls & csystem_calls_programs) allow(&program, program_calls, sizeof program_calls);
  if (calls & csystem_calls_fork) allow(&program, fork_calls, sizeof fork_calls);
  allow_memory(&program, calls);
  allow_clone(&program, calls);
  allow_signals(&program, calls);
  allow_settings(&program, calls);
  allow_sockets(&program, calls);
  add_return(&program, SECCOMP_RET_ERRNO | EPERM);
  if (program.count == sizeof program.lines / sizeof *program.lines) return E2BIG;
  struct sigaction action = {.sa_sigaction = explain, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGSYS, &action, NULL);
  struct sock_fprog filter = {.len = program.count, .filter = program.lines};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0 ? 0 : errno;
}
#else
int csystem_can_filter_calls(void) { return 0; }
int csystem_filter_calls(int calls) {
  (void)calls;
  return ENOSYS;
}
#endif
