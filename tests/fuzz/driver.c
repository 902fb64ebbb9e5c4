/* Runs a fuzz harness without libFuzzer: mutates the files of a corpus for some seconds. It learns
 * nothing from the program it drives, and so is no match for coverage-guided fuzzing, but needs
 * only a C compiler. The sequence depends on the seed alone; with a file for the corpus, that file
 * is run once. Usage: fuzz_X CORPUS [SECONDS [SEED]] */
#include <dirent.h>
#include <string.h>
#include <time.h>

#include "front/base.h"
#include "fuzz.h"
#include "riemann2/base.h"

enum { INPUT_MAX = 1 << 14, FILES_MAX = 256, PATH_SIZE = 4096, MUTATIONS_MAX = 6 };

typedef struct input {
    uint8_t bytes[INPUT_MAX];
    size_t size;
} input;

typedef struct corpus {
    input *inputs;
    size_t count;
} corpus;

static const char *const tokens[] = {"\"",
                                     "\"\"",
                                     ",",
                                     ";",
                                     "\t",
                                     "\n",
                                     "\r\n",
                                     "\r",
                                     "#",
                                     "nan",
                                     "inf",
                                     "NA",
                                     "1e308",
                                     "1e-320",
                                     "-0",
                                     "0x1",
                                     "1,5",
                                     " ",
                                     "id",
                                     "x",
                                     "0",
                                     "descr",
                                     "shape",
                                     "'<f8'",
                                     "'|O'",
                                     "'<U1'",
                                     "'|S3'",
                                     "True",
                                     "False",
                                     "(1,)",
                                     "()",
                                     "{",
                                     "}",
                                     "PK\x03\x04",
                                     "PK\x01\x02",
                                     "PK\x05\x06",
                                     "PK\x06\x06",
                                     "\xff\xff\xff\xff",
                                     "18446744073709551615",
                                     "9007199254740993",
                                     "\x93NUMPY\x01"};

static size_t below(rm2_rng *rng, size_t limit) {
    return (size_t)(rm2_rng_next(rng) % limit);
}

static void insert(input *in, size_t at, const void *bytes, size_t size) {
    if (size > INPUT_MAX - in->size)
        return;
    memmove(in->bytes + at + size, in->bytes + at, in->size - at);
    memcpy(in->bytes + at, bytes, size);
    in->size += size;
}

static void cut(input *in, size_t at, size_t size) {
    memmove(in->bytes + at, in->bytes + at + size, in->size - at - size);
    in->size -= size;
}

static void mutate(rm2_rng *rng, const corpus *all, input *in) {
    size_t at = below(rng, in->size + 1);
    const char *token = tokens[below(rng, sizeof tokens / sizeof *tokens)];
    const input *other = &all->inputs[below(rng, all->count)];
    size_t from = below(rng, other->size + 1);
    uint8_t byte = (uint8_t)rm2_rng_next(rng);
    switch (below(rng, 7)) {
    case 0:
        if (at < in->size)
            in->bytes[at] ^= (uint8_t)(1u << below(rng, 8));
        break;
    case 1:
        if (at < in->size)
            in->bytes[at] = byte;
        break;
    case 2:
        insert(in, at, token, strlen(token));
        break;
    case 3:
        insert(in, at, &byte, 1);
        break;
    case 4:
        cut(in, at, below(rng, in->size - at + 1));
        break;
    case 5:
        insert(in, at, other->bytes + from, below(rng, other->size - from + 1));
        break;
    default:
        in->size = below(rng, 4) ? in->size : at;
    }
}

static size_t load_file(const char *path, input *in) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    in->size = fread(in->bytes, 1, sizeof in->bytes, file);
    (void)fclose(file);
    return in->size;
}

static void load_corpus(const char *path, corpus *all) {
    DIR *directory = opendir(path);
    if (!directory) {
        all->count = load_file(path, &all->inputs[0]) > 0;
        return;
    }
    struct dirent *file;
    while (all->count < FILES_MAX && (file = readdir(directory))) {
        char name[PATH_SIZE];
        if (file->d_name[0] == '.')
            continue;
        (void)snprintf(name, sizeof name, "%s/%s", path, file->d_name);
        all->count += load_file(name, &all->inputs[all->count]) > 0;
    }
    (void)closedir(directory);
}

/* The order of a directory depends on the file system; the sequence must not. */
static int compare_inputs(const void *a, const void *b) {
    const input *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return memcmp(x->bytes, y->bytes, x->size);
}

static unsigned long run(const corpus *all, double seconds, uint64_t seed) {
    static input in;
    unsigned long executions = 0;
    rm2_rng rng;
    rm2_rng_seed(&rng, seed);
    for (; executions < all->count; executions++)
        (void)LLVMFuzzerTestOneInput(all->inputs[executions].bytes, all->inputs[executions].size);
    for (time_t start = time(NULL); difftime(time(NULL), start) < seconds; executions++) {
        in = all->inputs[below(&rng, all->count)];
        for (size_t i = 1 + below(&rng, MUTATIONS_MAX); i > 0; i--)
            mutate(&rng, all, &in);
        (void)LLVMFuzzerTestOneInput(in.bytes, in.size);
    }
    return executions;
}

int main(int argc, char **argv) {
    corpus all = {.inputs = calloc(FILES_MAX, sizeof(input))};
    if (argc < 2 || !all.inputs)
        return EXIT_FAILURE;
    load_corpus(argv[1], &all);
    if (all.count == 0) {
        (void)fprintf(stderr, "%s: no corpus\n", argv[1]);
        free(all.inputs);
        return EXIT_FAILURE;
    }
    qsort(all.inputs, all.count, sizeof *all.inputs, compare_inputs);
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    unsigned long executions = run(&all, argc > 2 ? strtod(argv[2], NULL) : 0, seed);
    (void)printf("%lu executions\n", executions);
    free(all.inputs);
    return EXIT_SUCCESS;
}
