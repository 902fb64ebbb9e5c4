/* The ends of a process whose lines are counted. */
#ifndef COVERAGE_PROCESS_H
#define COVERAGE_PROCESS_H

#include <sys/types.h>

_Noreturn void coverage_exit(int code);
int coverage_kill(pid_t id, int number);

#endif
