// What is done in the place of system calls that a filter traps.
#ifndef CSYSTEM_TRAPS_H
#define CSYSTEM_TRAPS_H

#ifdef __linux__
/// Answers them from now on.
void csystem_answer_traps(void);
#endif

#endif
