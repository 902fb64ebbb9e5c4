/* The commands of the program. */
#ifndef COMMANDS_H
#define COMMANDS_H

/* Runs argv[1] with the arguments behind it; returns the exit code. */
int run_command(int argc, char **argv);

#endif
