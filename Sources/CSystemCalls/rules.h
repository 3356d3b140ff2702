// The lines of a system call filter: each rule is a group of lines about one call.
#ifndef CSYSTEM_RULES_H
#define CSYSTEM_RULES_H

#ifdef __linux__
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

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

/// Skips this many lines unless the loaded value equals `value`.
static void add_unless(struct program *program, uint32_t value, uint8_t lines) {
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, lines));
}

static void load(struct program *program, size_t offset) {
  add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/// Loads the low half of an argument, which is all that the kernel reads where it takes an int.
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

/// Makes calls report success without doing anything.
static void pretend(struct program *program, const int *calls, size_t size) {
  for (size_t i = 0; i < size / sizeof *calls; i++) {
    add_unless(program, (uint32_t)calls[i], 1);
    add_return(program, SECCOMP_RET_ERRNO);
  }
}

/// Allows a call when an argument has one of these values.
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

/// Allows a call unless an argument has one of these values.
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

/// Applies an action to a call when two arguments have these values, as ints; of the second only
/// the bits of a mask count.
static void return_when_both(struct program *program, int call, int one, uint32_t value, int other,
                             uint32_t mask, uint32_t other_value, uint32_t action) {
  add_unless(program, (uint32_t)call, 7);
  load_argument(program, one);
  add_unless(program, value, 4);
  load_argument(program, other);
  add(program, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
  add_unless(program, other_value, 1);
  add_return(program, action);
  add_return(program, SECCOMP_RET_ERRNO | EPERM);
}

/// Applies an action to a call when an argument is a null pointer.
static void return_when_null(struct program *program, int call, int argument, uint32_t action) {
  add_unless(program, (uint32_t)call, 6);
  load_argument(program, argument);
  add_unless(program, 0, 3);
  // Its other half; the supported systems have the low half first.
  load(program, offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (size_t)argument +
                    sizeof(uint32_t));
  add_unless(program, 0, 1);
  add_return(program, action);
  add_return(program, SECCOMP_RET_ERRNO | EPERM);
}

#define COUNT(values) ((uint8_t)(sizeof(values) / sizeof *(values)))
#endif

#endif
