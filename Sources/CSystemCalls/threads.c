#include "CSystem.h"

#include <pthread.h>

int csystem_start_thread(void *(*work)(void *), void *context) {
  pthread_t thread;
  int problem = pthread_create(&thread, NULL, work, context);
  if (problem == 0) pthread_detach(thread);
  return problem;
}

int csystem_join_thread(void *(*work)(void *), void *context) {
  pthread_t thread;
  int problem = pthread_create(&thread, NULL, work, context);
  return problem == 0 ? pthread_join(thread, NULL) : problem;
}
