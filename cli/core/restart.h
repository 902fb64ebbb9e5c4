/* A second start of the program with better kernels of OpenBLAS. */
#ifndef RM2_CLI_RESTART_H
#define RM2_CLI_RESTART_H

/* Start the program again where OpenBLAS runs kernels that are too old for the processor; return where it does not, and where
 * the system does not name the program's file (/proc on Linux). */
void restart_with_better_kernels(char **argv);

#endif
