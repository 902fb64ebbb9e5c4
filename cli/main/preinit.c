/* Before the shared libraries begin: OpenBLAS allocates 128 MB when it is loaded, and tries again without an end where the limit
 * on the address space (ulimit -v) leaves less. Functions of .preinit_array run before those of libraries; only the program
 * has them. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */ // NOLINT(bugprone-reserved-identifier)
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NEEDED = 256 << 20 }; /* bytes: with what the other libraries allocate */

static void check_address_space(void) {
    static const char text[] =
        "riemann2: less than 256 MB of address space are left, which OpenBLAS needs to start: "
        "raise the limit (ulimit -v)\n";
    void *room = mmap(NULL, NEEDED, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
        _exit(1);
    }
    (void)munmap(room, NEEDED);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const before_libraries)(void) = check_address_space;
#endif
