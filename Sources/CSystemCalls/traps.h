// What is done in place of system calls that a filter traps.
#ifndef CSYSTEM_TRAPS_H
#define CSYSTEM_TRAPS_H

#ifdef __linux__
/// Answers trapped calls from now on. A socket pair is made only for a process that may use the
/// network: a template traps for all its forks what one of them needs.
void csystem_answer_traps(int makes_pairs);
#endif

#endif
