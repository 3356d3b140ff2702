// What is done in the place of system calls that a filter traps.
#ifndef CSYSTEM_TRAPS_H
#define CSYSTEM_TRAPS_H

#ifdef __linux__
/// Answers them from now on. A pair of sockets is made only for who may use the network: a template traps
/// for all of its forks what one of them needs.
void csystem_answer_traps(int makes_pairs);
#endif

#endif
