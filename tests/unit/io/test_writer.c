/* Files that appear whole or not at all: what is on disk before, after and in spite of failures. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "front/arrays.h"
#include "riemann2/io.h"

typedef struct fixture {
    rm2_context *ctx;
    char directory[64], path[96];
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    assert_int_equal(rm2_context_create(&f->ctx), RM2_OK);
    (void)strcpy(f->directory, "/tmp/rm2-test-output-XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    (void)snprintf(f->path, sizeof f->path, "%s/out.txt", f->directory);
    *state = f;
    return 0;
}

/* Files in the directory, with a look at each of them. */
static size_t count_files(const fixture *f, bool remove_them) {
    DIR *directory = opendir(f->directory);
    assert_non_null(directory);
    size_t count = 0;
    for (struct dirent *file; (file = readdir(directory));) {
        if (strcmp(file->d_name, ".") == 0 || strcmp(file->d_name, "..") == 0)
            continue;
        count++;
        if (remove_them)
            (void)unlinkat(dirfd(directory), file->d_name, 0);
    }
    (void)closedir(directory);
    return count;
}

static int tear_down(void **state) {
    fixture *f = *state;
    (void)count_files(f, true);
    (void)rmdir(f->directory);
    rm2_context_free(f->ctx);
    free(f);
    return 0;
}

static void expect_content(const char *path, const char *expected) {
    char text[64] = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    assert_string_equal(text, expected);
}

static void put_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static rm2_status write_text(fixture *f, const char *path, const char *text, bool overwrite) {
    rm2_writer *output;
    rm2_status status = rm2_writer_open(f->ctx, path, overwrite, &output);
    if (status != RM2_OK) {
        assert_null(output);
        return status;
    }
    (void)fputs(text, rm2_writer_stream(output));
    return rm2_writer_commit(f->ctx, output);
}

static void expect_message(const fixture *f, const char *word) {
    if (!strstr(rm2_context_error(f->ctx), word))
        fail_msg("'%s' is not in: %s", word, rm2_context_error(f->ctx));
}

static void the_file_appears_at_commit(void **state) {
    fixture *f = *state;
    rm2_writer *output;
    assert_int_equal(rm2_writer_open(f->ctx, f->path, false, &output), RM2_OK);
    (void)fputs("hello", rm2_writer_stream(output));
    assert_int_equal(access(f->path, F_OK), -1);
    assert_int_equal(count_files(f, false), 1); /* the temporary file is beside the target */
    assert_int_equal(rm2_writer_commit(f->ctx, output), RM2_OK);
    assert_int_equal(count_files(f, false), 1);
    expect_content(f->path, "hello");
}

static void nothing_is_left_after_discard(void **state) {
    fixture *f = *state;
    rm2_writer *output;
    assert_int_equal(rm2_writer_open(f->ctx, f->path, false, &output), RM2_OK);
    (void)fputs("hello", rm2_writer_stream(output));
    rm2_writer_discard(output);
    assert_int_equal(count_files(f, false), 0);
    put_file(f->path, "old");
    assert_int_equal(rm2_writer_open(f->ctx, f->path, true, &output), RM2_OK);
    rm2_writer_discard(output);
    expect_content(f->path, "old");
    assert_int_equal(count_files(f, false), 1);
}

static void existing_files_are_kept_or_replaced(void **state) {
    fixture *f = *state;
    put_file(f->path, "old");
    assert_int_equal(write_text(f, f->path, "new", false), RM2_ERR_IO);
    expect_message(f, "out.txt exists already; pass overwrite = true to replace it");
    expect_content(f->path, "old");
    assert_int_equal(write_text(f, f->path, "new", true), RM2_OK);
    expect_content(f->path, "new");
    assert_int_equal(count_files(f, false), 1);
}

/* A file that another program makes in the meantime is not replaced. */
static void late_files_are_kept(void **state) {
    fixture *f = *state;
    rm2_writer *output;
    assert_int_equal(rm2_writer_open(f->ctx, f->path, false, &output), RM2_OK);
    put_file(f->path, "other");
    assert_int_equal(rm2_writer_commit(f->ctx, output), RM2_ERR_IO);
    expect_message(f, "exists already");
    expect_content(f->path, "other");
    assert_int_equal(count_files(f, false), 1);
}

static unsigned mode_of(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 0777;
}

static void permissions_follow_umask_or_the_old_file(void **state) {
    fixture *f = *state;
    mode_t before = umask(027);
    assert_int_equal(write_text(f, f->path, "a", false), RM2_OK);
    (void)umask(before);
    assert_int_equal(mode_of(f->path), 0640);
    assert_int_equal(chmod(f->path, 0604), 0);
    assert_int_equal(write_text(f, f->path, "b", true), RM2_OK);
    assert_int_equal(mode_of(f->path), 0604);
}

static void symbolic_links_stay_links(void **state) {
    fixture *f = *state;
    char target[128];
    (void)snprintf(target, sizeof target, "%s/target", f->directory);
    assert_int_equal(symlink("target", f->path), 0);
    assert_int_equal(write_text(f, f->path, "x", true), RM2_ERR_IO);
    expect_message(f, "symbolic link");
    put_file(target, "old");
    assert_int_equal(write_text(f, f->path, "x", false), RM2_ERR_IO);
    assert_int_equal(write_text(f, f->path, "new", true), RM2_OK);
    struct stat info;
    assert_int_equal(lstat(f->path, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    expect_content(target, "new");
    assert_int_equal(count_files(f, false), 2);
}

static void impossible_targets_are_named(void **state) {
    fixture *f = *state;
    rm2_writer *output;
    assert_int_equal(write_text(f, f->directory, "x", true), RM2_ERR_IO);
    expect_message(f, "is a directory");
    assert_int_equal(write_text(f, "/nowhere/x", "x", true), RM2_ERR_IO);
    expect_message(f, "cannot write /nowhere/x: No such file or directory");
    assert_int_equal(rm2_writer_open(f->ctx, "", true, &output), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_writer_open(f->ctx, NULL, true, &output), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_writer_open(f->ctx, f->path, true, NULL), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_writer_commit(f->ctx, NULL), RM2_ERR_ARGUMENT);
    assert_null(rm2_writer_stream(NULL));
    rm2_writer_discard(NULL);
}

static void read_only_files_are_kept(void **state) {
    fixture *f = *state;
    if (geteuid() == 0)
        skip(); /* root may write any file */
    put_file(f->path, "old");
    assert_int_equal(chmod(f->path, 0400), 0);
    assert_int_equal(write_text(f, f->path, "new", true), RM2_ERR_IO);
    expect_message(f, "Permission denied");
    expect_content(f->path, "old");
}

static void long_names_are_possible(void **state) {
    fixture *f = *state;
    char path[400];
    int used = snprintf(path, sizeof path, "%s/", f->directory);
    memset(path + used, 'n', 255); /* the longest name of common file systems */
    path[used + 255] = '\0';
    assert_int_equal(write_text(f, path, "x", false), RM2_OK);
    expect_content(path, "x");
    path[used + 255] = 'n';
    path[used + 256] = '\0';
    assert_int_equal(write_text(f, path, "x", false), RM2_ERR_IO);
    expect_message(f, "File name too long");
}

static void a_full_disk_is_noticed(void **state) {
    fixture *f = *state;
    rm2_writer *output;
    assert_int_equal(write_text(f, "/dev/full", "few bytes", false), RM2_ERR_IO);
    expect_message(f, "cannot write /dev/full: disk full");
    assert_int_equal(rm2_writer_open(f->ctx, "/dev/full", false, &output), RM2_OK);
    for (int i = 0; i < 100000; i++)
        (void)fputs("many bytes", rm2_writer_stream(output));
    assert_int_equal(rm2_writer_commit(f->ctx, output), RM2_ERR_IO);
    expect_message(f, "cannot write /dev/full: disk full"); /* the reason of the first failure */
}

/* A limit on the file size stands for a disk that fills up: the old file stays as it was. */
static void failing_writes_leave_the_old_file(void **state) {
    fixture *f = *state;
    put_file(f->path, "old");
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 4096;
    (void)signal(SIGXFSZ, SIG_IGN);
    rm2_writer *output;
    assert_int_equal(rm2_writer_open(f->ctx, f->path, true, &output), RM2_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < 1000; i++)
        (void)fputs("0123456789", rm2_writer_stream(output));
    rm2_status status = rm2_writer_commit(f->ctx, output);
    double large[1000] = {0};
    rm2_array array = {.dims = 1, .shape = {1000}, .values = large};
    rm2_status npy_status = rm2_npy_write(f->ctx, f->path, &array, true);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, RM2_ERR_IO);
    assert_int_equal(npy_status, RM2_ERR_IO);
    expect_message(f, "out.txt: File too large");
    expect_content(f->path, "old");
    assert_int_equal(count_files(f, false), 1);
}

static void pipes_are_written_directly(void **state) {
    fixture *f = *state;
    int ends[2];
    char path[32], text[8] = {0};
    assert_int_equal(pipe(ends), 0);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    assert_int_equal(write_text(f, path, "hello", false), RM2_OK);
    assert_int_equal(read(ends[0], text, sizeof text), 5);
    assert_string_equal(text, "hello");
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/* Write "-" with standard output going to a path. */
static rm2_status write_to_stdout(fixture *f, const char *path, const char *text) {
    (void)fflush(stdout);
    int saved = dup(STDOUT_FILENO), fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(saved >= 0 && fd >= 0);
    assert_int_equal(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
    rm2_status status = write_text(f, "-", text, false);
    assert_int_equal(dup2(saved, STDOUT_FILENO), STDOUT_FILENO);
    clearerr(stdout);
    (void)close(saved);
    (void)close(fd);
    return status;
}

static void a_dash_is_standard_output(void **state) {
    fixture *f = *state;
    assert_int_equal(write_to_stdout(f, f->path, "hello"), RM2_OK);
    expect_content(f->path, "hello");
    assert_int_equal(write_to_stdout(f, "/dev/full", "hello"), RM2_ERR_IO);
    expect_message(f, "disk full");
    assert_int_equal(access("-", F_OK), -1);
}

static void texts_are_kept_in_memory(void **state) {
    fixture *f = *state;
    rm2_writer *stream;
    char *text;
    size_t size;
    assert_int_equal(rm2_writer_open_memory(f->ctx, &stream), RM2_OK);
    for (int k = 0; k < 10000; k++)
        (void)fprintf(rm2_writer_stream(stream), "%04d\n", k);
    assert_int_equal(rm2_writer_consume(f->ctx, stream, &text, &size), RM2_OK);
    assert_int_equal(size, 50000);
    assert_int_equal(strlen(text), 50000);
    for (int k = 0; k < 10000; k++)
        assert_int_equal(atoi(text + 5 * (size_t)k), k);
    rm2_free(text);
    assert_int_equal(rm2_writer_open_memory(f->ctx, &stream), RM2_OK);
    rm2_writer_discard(stream);
    assert_int_equal(rm2_writer_open_memory(f->ctx, &stream), RM2_OK);
    assert_int_equal(rm2_writer_consume(f->ctx, stream, &text, &size), RM2_OK);
    assert_string_equal(text, "");
    rm2_free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_file_appears_at_commit),
        TEST(nothing_is_left_after_discard),
        TEST(existing_files_are_kept_or_replaced),
        TEST(late_files_are_kept),
        TEST(permissions_follow_umask_or_the_old_file),
        TEST(symbolic_links_stay_links),
        TEST(impossible_targets_are_named),
        TEST(read_only_files_are_kept),
        TEST(long_names_are_possible),
        TEST(a_full_disk_is_noticed),
        TEST(failing_writes_leave_the_old_file),
        TEST(pipes_are_written_directly),
        TEST(a_dash_is_standard_output),
        TEST(texts_are_kept_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
