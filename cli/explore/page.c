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
EMBED(page_app_css, "app.css");

bool page_is_built(void) {
    return true;
}

bool page_find(const char *name, page_file *file) {
    const page_file files[] = {
        {"", "text/html; charset=utf-8", page_index_html,
         (size_t)(page_index_html_end - page_index_html)},
        {"app.js", "text/javascript; charset=utf-8", page_app_js,
         (size_t)(page_app_js_end - page_app_js)},
        {"app.css", "text/css; charset=utf-8", page_app_css,
         (size_t)(page_app_css_end - page_app_css)},
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
