/* Counts of lines in a build for coverage (RM2_COVERAGE): they are written when a process ends, which the one that reads
 * MATLAB files does by _exit, or when its reader has all it needs and kills it. src/mat/process.c is compiled with these
 * two in their place. */
#include "coverage_process.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void __gcov_dump(void); /* of libgcov */

void coverage_exit(int code) {
    __gcov_dump();
    _exit(code);
}

/* Gives the process two seconds to end by itself. */
int coverage_kill(pid_t id, int number) {
    for (int k = 0; k < 200; k++) {
        siginfo_t end = {0};
        if (waitid(P_PID, (id_t)id, &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == id)
            return 0;
        (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return kill(id, number);
}
