/* conformance [-v] DIR_OR_FILE...: run the checks of vectors files and compare with their targets.
 *
 * A vectors file is an object with `cases`, each with `check`, `in`, `out`, `tol` and maybe `tag`.
 * A file that cannot be read counts as one failed case. Exit code 0 when all cases pass, 1 when
 * some fail, 2 when the arguments make no sense. */
#include "check.h"
#include "compare.h"
#include "json.h"
#include "paths.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

static void run_case(file_report *f, rm2_context *ctx, const json_value *json) {
    const char *name = json_member_string(json, "check", "");
    check_fn check = check_find(name);
    conf_case c;
    case_begin(&c, ctx, json);
    if (check)
        check(&c);
    else
        case_fail(&c, "check \"%s\" is not supported yet", name);
    f->tag = json_member_string(json, "tag", "");
    report_case(f, compare_case(&c, report_verdict, f));
    case_end(&c);
}

static void run_cases(file_report *f, rm2_context *ctx, const json_value *root) {
    const json_value *cases = json_member(root, "cases");
    if (!cases || cases->type != JSON_ARRAY || cases->count == 0) {
        report_no_cases(f, "no cases");
        return;
    }
    for (const json_value *json = cases->first; json; json = json->next, f->index++)
        run_case(f, ctx, json);
}

static void run_file(report *r, rm2_context *ctx, const char *path) {
    arena memory = {0};
    json_error error;
    file_report f;
    report_file_begin(&f, r, path_name(path));
    const json_value *root = json_load(&memory, path, &error);
    if (root) {
        run_cases(&f, ctx, root);
    } else {
        char note[NOTE_SIZE];
        if (error.line > 0)
            snprintf(note, sizeof note, "line %zu: %s", error.line, error.message);
        else
            snprintf(note, sizeof note, "%s", error.message);
        report_no_cases(&f, note);
    }
    report_file_end(&f);
    arena_free(&memory);
}

static int run_files(const path_list *files, bool verbose) {
    rm2_context *ctx;
    report r;
    int width = 4;
    for (size_t i = 0; i < files->count; i++) {
        int length = (int)strlen(path_name(files->paths[i]));
        width = length > width ? length : width;
    }
    if (rm2_context_create(&ctx) != RM2_OK || !report_open(&r, verbose, width)) {
        fprintf(stderr, "conformance: out of memory\n");
        return 2;
    }
    report_header(&r);
    for (size_t i = 0; i < files->count; i++)
        run_file(&r, ctx, files->paths[i]);
    report_close(&r);
    rm2_context_free(ctx);
    return r.failed == 0 && r.passed > 0 ? 0 : 1;
}

static bool usage(void) {
    fprintf(stderr, "usage: conformance [-v] DIR_OR_FILE...\n");
    return false;
}

static bool parse_arguments(int argc, char **argv, path_list *files, bool *verbose) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0)
            *verbose = true;
        else if (argv[i][0] == '-')
            return usage();
        else if (!paths_add(files, argv[i]))
            return false;
    }
    return files->count > 0 ? true : usage();
}

int main(int argc, char **argv) {
    path_list files = {0};
    bool verbose = false;
    int code = 2;
    if (parse_arguments(argc, argv, &files, &verbose))
        code = run_files(&files, verbose);
    paths_free(&files);
    return code;
}
