/* MATLAB files for tests, written by libmatio: the same workspace in three versions of the format. */
#ifndef MAT_FILES_H
#define MAT_FILES_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <matio.h>

/* Entry (i, j, k), from 0, of the array "grid" (2, 3, 4). */
static double grid_entry(size_t i, size_t j, size_t k) {
    return 100.0 * (double)i + 10.0 * (double)j + (double)k;
}

/* Entry (i, j) of matrix k of "conn" (3, 3, 4): symmetric, positive definite, different for every k. */
static double conn_entry(size_t i, size_t j, size_t k) {
    return (i == j ? 2.0 + (double)k : 0) + 0.1 * (double)(i + j) + 0.01 * (double)(i * j * k);
}

/* Arrays in MATLAB's order: the first index fastest. */
static matvar_t *cube(const char *name, const size_t dims[3],
                      double (*entry)(size_t, size_t, size_t)) {
    size_t shape[3] = {dims[0], dims[1], dims[2]};
    double values[64];
    for (size_t k = 0; k < dims[2]; k++)
        for (size_t j = 0; j < dims[1]; j++)
            for (size_t i = 0; i < dims[0]; i++)
                values[(k * dims[1] + j) * dims[0] + i] = entry(i, j, k);
    return Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 3, shape, values, 0);
}

static matvar_t *numbers(const char *name, enum matio_classes class, enum matio_types type,
                         size_t rows, size_t columns, void *values, int options) {
    size_t shape[2] = {rows, columns};
    return Mat_VarCreate(name, class, type, 2, shape, values, options);
}

static matvar_t *line(const char *name, const char *text) {
    size_t shape[2] = {1, strlen(text)};
    return Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UINT8, 2, shape, (void *)text, 0);
}

static matvar_t *cells(const char *name, size_t count, matvar_t **content) {
    size_t shape[2] = {1, count};
    return Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, shape, content, 0);
}

static matvar_t *cell_of_texts(void) {
    matvar_t *content[] = {line(NULL, "patient"), line(NULL, "control"), line(NULL, "patient"),
                           line(NULL, "control"), NULL};
    return cells("group", 4, content);
}

static matvar_t *cell_of_matrices(void) {
    double first[] = {2, 0.5, 0.5, 1}, second[] = {3, -0.5, -0.5, 1};
    matvar_t *content[] = {numbers(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, 2, first, 0),
                           numbers(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, 2, second, 0), NULL};
    return cells("per_subject", 2, content);
}

static matvar_t *cell_of_both(void) {
    double one = 1;
    matvar_t *content[] = {numbers(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 1, 1, &one, 0),
                           line(NULL, "a"), NULL};
    return cells("mixed", 2, content);
}

static matvar_t *structure(void) {
    static const char *names[] = {"rate", "data"};
    size_t shape[2] = {1, 1}, dims[3] = {2, 3, 4};
    double rate = 250;
    matvar_t *s = Mat_VarCreateStruct("eeg", 2, shape, names, 2);
    Mat_VarSetStructFieldByName(s, "rate", 0,
                                numbers(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 1, 1, &rate, 0));
    Mat_VarSetStructFieldByName(s, "data", 0, cube(NULL, dims, grid_entry));
    return s;
}

static matvar_t *two_structures(void) {
    static const char *names[] = {"x"};
    size_t shape[2] = {1, 2};
    double one = 1;
    matvar_t *s = Mat_VarCreateStruct("several", 2, shape, names, 1);
    for (size_t k = 0; k < 2; k++)
        Mat_VarSetStructFieldByName(s, "x", k,
                                    numbers(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 1, 1, &one, 0));
    return s;
}

static matvar_t *complex_numbers(void) {
    double real[] = {1, 2}, imaginary[] = {3, 4};
    mat_complex_split_t parts = {real, imaginary};
    return numbers("wave", MAT_C_DOUBLE, MAT_T_DOUBLE, 1, 2, &parts, MAT_F_COMPLEX);
}

static matvar_t *char_rows(void) { /* "ab", "cde": by columns */
    size_t shape[2] = {2, 3};
    return Mat_VarCreate("rows", MAT_C_CHAR, MAT_T_UINT8, 2, shape, (void *)"acbd e", 0);
}

/* The workspace; returns how many variables it has. */
static size_t make_workspace(matvar_t **v) {
    static int8_t small[] = {-3, 4};
    static float single[] = {0.5f, -2};
    static int64_t huge[] = {INT64_C(9007199254740993)}, large[] = {-INT64_C(4503599627370497)};
    static uint8_t truth[] = {1, 0, 1, 1};
    const size_t three[3] = {2, 3, 4}, matrices[3] = {3, 3, 4};
    size_t n = 0;
    v[n++] = cube("grid", three, grid_entry);
    v[n++] = cube("conn", matrices, conn_entry);
    v[n++] = cell_of_texts();
    v[n++] = cell_of_matrices();
    v[n++] = cell_of_both();
    v[n++] = structure();
    v[n++] = two_structures();
    v[n++] = complex_numbers();
    v[n++] = char_rows();
    v[n++] = numbers("small", MAT_C_INT8, MAT_T_INT8, 1, 2, small, 0);
    v[n++] = numbers("single", MAT_C_SINGLE, MAT_T_SINGLE, 2, 1, single, 0);
    v[n++] = numbers("huge", MAT_C_INT64, MAT_T_INT64, 1, 1, huge, 0);
    v[n++] = numbers("large", MAT_C_INT64, MAT_T_INT64, 1, 1, large, 0);
    v[n++] = numbers("truth", MAT_C_UINT8, MAT_T_UINT8, 1, 4, truth, MAT_F_LOGICAL);
    return n;
}

typedef struct mat_version {
    const char *name;
    enum mat_ft version;
    enum matio_compression packing;
} mat_version;

static const mat_version mat_versions[] = {{"v6", MAT_FT_MAT5, MAT_COMPRESSION_NONE},
                                           {"v7", MAT_FT_MAT5, MAT_COMPRESSION_ZLIB},
                                           {"v7.3", MAT_FT_MAT73, MAT_COMPRESSION_NONE},
                                           {"v7.3 packed", MAT_FT_MAT73, MAT_COMPRESSION_ZLIB}};
enum { MAT_VERSIONS = sizeof mat_versions / sizeof *mat_versions };

static int write_workspace(const char *path, const mat_version *how) {
    matvar_t *v[32];
    size_t count = make_workspace(v);
    mat_t *file = Mat_CreateVer(path, NULL, how->version);
    int bad = !file;
    for (size_t k = 0; k < count; k++) {
        /* libmatio 1.5.23 packs cells of texts wrongly: those that Octave packs are in tests/cli */
        bool loose = how->version == MAT_FT_MAT5 && v[k]->class_type == MAT_C_CELL;
        bad = bad || Mat_VarWrite(file, v[k], loose ? MAT_COMPRESSION_NONE : how->packing) != 0;
        Mat_VarFree(v[k]);
    }
    return (file ? Mat_Close(file) : 0) != 0 || bad;
}

#endif
