/* Files of the built page, taken in by the assembler. */
#include "explore/page.h"

#include <string.h>

#ifdef RM2_PAGE_FOLDER

#define EMBED(symbol, file)                                                                        \
    __asm__(".section .rodata\n"                                                                   \
            ".hidden " #symbol "\n"                                                                \
            ".hidden " #symbol "_end\n"                                                            \
            ".global " #symbol "\n" #symbol ":\n"                                                  \
            ".incbin \"" RM2_PAGE_FOLDER "/" file "\"\n"                                           \
            ".global " #symbol "_end\n" #symbol "_end:\n"                                          \
            ".byte 0\n"                                                                            \
            ".previous\n");                                                                        \
    extern const char symbol[], symbol##_end[]

EMBED(page_index_html, "index.html");
EMBED(page_app_js, "app.js");
EMBED(page_chunk_js, "chunk.js");
EMBED(page_space_js, "space.js");
EMBED(page_app_css, "app.css");

#define FILE_OF(name, type, symbol)                                                                \
    { name, type, symbol, (size_t)(symbol##_end - symbol) }

static const char HTML[] = "text/html; charset=utf-8", STYLE[] = "text/css; charset=utf-8",
                  SCRIPT[] = "text/javascript; charset=utf-8";

bool page_is_built(void) {
    return true;
}

bool page_find(const char *name, page_file *file) {
    const page_file files[] = {
        FILE_OF("", HTML, page_index_html),         FILE_OF("app.js", SCRIPT, page_app_js),
        FILE_OF("chunk.js", SCRIPT, page_chunk_js), FILE_OF("space.js", SCRIPT, page_space_js),
        FILE_OF("app.css", STYLE, page_app_css),
    };
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (strcmp(files[k].name, name) == 0) {
            *file = files[k];
            return true;
        }
    return false;
}

#else

bool page_is_built(void) {
    return false;
}

bool page_find(const char *name, page_file *file) {
    (void)name;
    (void)file;
    return false;
}

#endif
