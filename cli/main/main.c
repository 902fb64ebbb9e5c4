/* riemann2 COMMAND ... */
#include "core/cli.h"
#include "main/commands.h"

int main(int argc, char **argv) {
    process_start(argv);
    return process_end(run_command(argc, argv));
}
