/* libmatio, in the reading process. The arrays of a file are met in one order, whether they are listed or one of them
 * is sent: variables, and fields of structures where the structure is. MATLAB stores the first index fastest. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mat/library.h"
#include "mat/mat.h"

enum { NAME_SIZE = 512, DEPTH = 4, REASON_SIZE = 200 };

typedef struct answer {
    const rm2i_mat_request *request;
    rm2i_matio matio;
    mat_t *file;
    int out;
    bool good;       /* all was written */
    size_t next;     /* number of the next array */
    size_t variable; /* number of the variable that is visited */
    bool found;      /* the array that was asked for */
} answer;

/* What an array is, by its description alone. */
typedef struct kind {
    bool texts;
    size_t dims;
    uint64_t shape[RM2_ARRAY_MAX_DIMS];
    char refusal[REASON_SIZE]; /* empty: none */
} kind;

/* ---- writing -------------------------------------------------------------------------------- */

static void put(answer *a, const void *bytes, size_t size) {
    for (size_t done = 0; a->good && done < size;) {
        ssize_t more = write(a->out, (const char *)bytes + done, size - done);
        a->good = more > 0;
        done += more > 0 ? (size_t)more : 0;
    }
}

static void put_word(answer *a, uint64_t word) {
    put(a, &word, sizeof word);
}

static void put_text(answer *a, const char *text, size_t size) {
    size = size < RM2I_MAT_TEXT_MAX ? size : RM2I_MAT_TEXT_MAX - 1;
    put_word(a, size);
    put(a, text, size);
}

static void fail(answer *a, rm2_status status, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_word(a, (uint64_t)status);
    put_text(a, text, strlen(text));
    put_word(a, RM2I_MAT_END);
}

/* ---- what an array is ----------------------------------------------------------------------- */

/* Bytes of a number of this class; 0: it has none. */
static size_t number_size(enum matio_classes class) {
    switch (class) {
    case MAT_C_DOUBLE:
    case MAT_C_INT64:
    case MAT_C_UINT64:
        return 8;
    case MAT_C_SINGLE:
    case MAT_C_INT32:
    case MAT_C_UINT32:
        return 4;
    case MAT_C_INT16:
    case MAT_C_UINT16:
        return 2;
    case MAT_C_INT8:
    case MAT_C_UINT8:
        return 1;
    default:
        return 0;
    }
}

/* Product of the sizes; UINT64_MAX: more than there can be. */
static uint64_t count_of(const matvar_t *v) {
    uint64_t count = 1;
    for (int k = 0; k < v->rank; k++) {
        if (v->dims[k] > 0 && count > UINT64_MAX / v->dims[k])
            return UINT64_MAX;
        count *= v->dims[k];
    }
    return count;
}

static void refuse(kind *k, const char *why) {
    (void)snprintf(k->refusal, sizeof k->refusal, "%s", why);
}

static void copy_shape(const matvar_t *v, size_t first, kind *k) {
    if (first + (size_t)v->rank > RM2_ARRAY_MAX_DIMS) {
        refuse(k, "it has more than 8 dimensions");
        return;
    }
    k->dims = first + (size_t)v->rank;
    for (int i = 0; i < v->rank; i++)
        k->shape[first + (size_t)i] = v->dims[i];
}

static bool same_shape(const matvar_t *a, const matvar_t *b) {
    return a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

static bool is_plain(const matvar_t *v) {
    return v && v->rank > 0 && v->dims && number_size(v->class_type) > 0 && !v->isComplex;
}

/* A row of characters, or none at all. */
static bool is_line(const matvar_t *v) {
    return v && v->class_type == MAT_C_CHAR && v->rank == 2 && v->dims &&
           (v->dims[0] == 1 || count_of(v) == 0);
}

/* Cells: texts, or numeric arrays of one shape. */
static void judge_cells(const matvar_t *v, kind *k) {
    uint64_t count = count_of(v);
    matvar_t *const *cells = v->data;
    bool lines = true, plain = true;
    for (uint64_t i = 0; cells && i < count; i++) {
        lines = lines && is_line(cells[i]);
        plain = plain && is_plain(cells[i]) && same_shape(cells[i], cells[0]);
    }
    k->texts = lines;
    if (!cells || count == 0)
        refuse(k, "it is an empty cell array");
    else if (!lines && !plain)
        refuse(k, "it is a cell array of neither texts nor numeric arrays of one shape");
    else if (plain)
        copy_shape(cells[0], 1, k);
    else
        k->dims = 1;
    k->shape[0] = count;
}

static void judge_chars(const matvar_t *v, kind *k) {
    k->texts = true;
    k->dims = 1;
    k->shape[0] = v->dims[0];
    if (v->rank != 2)
        refuse(k, "it is a char array of more than two dimensions");
}

static void judge_other(const matvar_t *v, kind *k) {
    switch (v->class_type) {
    case MAT_C_CELL:
        judge_cells(v, k);
        break;
    case MAT_C_STRUCT:
        refuse(k, "it is an array of structures; save one of its fields as an array");
        break;
    case MAT_C_SPARSE:
        refuse(k, "it is sparse; save full(x)");
        break;
    case MAT_C_EMPTY:
        refuse(k, "it is empty");
        break;
    default:
        refuse(k, "it is an object, such as a table or strings; save numbers or cellstr(x)");
    }
}

/* Everything that is read later is bounded here: numbers, cells, characters. */
static void judge(const answer *a, const matvar_t *v, kind *k) {
    *k = (kind){.texts = false};
    uint64_t most = rm2i_mat_most(a->request->file_size);
    if (v->rank <= 0 || !v->dims)
        refuse(k, "it has no dimensions");
    else if (count_of(v) > most)
        refuse(k, "it claims to be larger than the file can be");
    else if (v->isComplex)
        refuse(k, "it holds complex numbers; save real(x) or abs(x)");
    else if (number_size(v->class_type) > 0)
        copy_shape(v, 0, k);
    else if (v->class_type == MAT_C_CHAR)
        judge_chars(v, k);
    else
        judge_other(v, k);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static double number_at(const matvar_t *v, size_t i) {
    switch (v->class_type) {
    case MAT_C_DOUBLE:
        return ((const double *)v->data)[i];
    case MAT_C_SINGLE:
        return (double)((const float *)v->data)[i];
    case MAT_C_INT8:
        return (double)((const int8_t *)v->data)[i];
    case MAT_C_UINT8:
        return (double)((const uint8_t *)v->data)[i];
    case MAT_C_INT16:
        return (double)((const int16_t *)v->data)[i];
    case MAT_C_UINT16:
        return (double)((const uint16_t *)v->data)[i];
    case MAT_C_INT32:
        return (double)((const int32_t *)v->data)[i];
    case MAT_C_UINT32:
        return (double)((const uint32_t *)v->data)[i];
    case MAT_C_INT64:
        return (double)((const int64_t *)v->data)[i];
    default:
        return (double)((const uint64_t *)v->data)[i];
    }
}

/* Integers beyond 2^53 that a double cannot hold. */
static bool has_lost_digits(const matvar_t *v, size_t count) {
    const uint64_t exact = UINT64_C(1) << 53;
    for (size_t i = 0; v->class_type == MAT_C_INT64 && i < count; i++) {
        int64_t x = ((const int64_t *)v->data)[i];
        if (x > (int64_t)exact || x < -(int64_t)exact)
            return true;
    }
    for (size_t i = 0; v->class_type == MAT_C_UINT64 && i < count; i++)
        if (((const uint64_t *)v->data)[i] > exact)
            return true;
    return false;
}

/* Are the numbers there, all of them? */
static bool is_read(const matvar_t *v) {
    return is_plain(v) && v->data && v->nbytes / number_size(v->class_type) >= count_of(v);
}

/* All numbers, the last index fastest: the offset of an element is carried along with its indices. */
static void put_numbers(answer *a, const matvar_t *v) {
    enum { BLOCK = 4096 };
    double block[BLOCK];
    size_t index[RM2_ARRAY_MAX_DIMS] = {0}, stride[RM2_ARRAY_MAX_DIMS] = {0}, step = 1, filled = 0;
    size_t rank = (size_t)v->rank, count = (size_t)count_of(v), at = 0;
    for (size_t k = 0; k < rank; k++) {
        stride[k] = step;
        step *= v->dims[k];
    }
    for (size_t i = 0; i < count && a->good; i++) {
        block[filled++] = number_at(v, at);
        for (size_t k = rank; k-- > 0;) {
            at += stride[k];
            if (++index[k] < v->dims[k])
                break;
            at -= stride[k] * v->dims[k];
            index[k] = 0;
        }
        if (filled == BLOCK || i + 1 == count) {
            put(a, block, filled * sizeof *block);
            filled = 0;
        }
    }
}

static void send_numbers(answer *a, const char *name, const matvar_t *v, const kind *k) {
    bool cells = v->class_type == MAT_C_CELL;
    size_t count = cells ? (size_t)k->shape[0] : 1;
    for (size_t i = 0; i < count; i++) {
        const matvar_t *one = cells ? ((matvar_t *const *)v->data)[i] : v;
        if (!is_read(one) || (cells && !same_shape(one, ((matvar_t *const *)v->data)[0]))) {
            fail(a, RM2_ERR_FORMAT, "%s: array \"%.60s\" is damaged: its numbers end too early",
                 a->request->path, name);
            return;
        }
        if (has_lost_digits(one, (size_t)count_of(one))) {
            fail(a, RM2_ERR_UNSUPPORTED,
                 "%s: array \"%.60s\" has integers beyond 2^53, which double precision cannot "
                 "hold exactly",
                 a->request->path, name);
            return;
        }
    }
    put_word(a, RM2_OK);
    put_word(a, k->dims);
    put(a, k->shape, k->dims * sizeof *k->shape);
    for (size_t i = 0; i < count; i++)
        put_numbers(a, cells ? ((matvar_t *const *)v->data)[i] : v);
    put_word(a, RM2I_MAT_END);
}

/* ---- texts ---------------------------------------------------------------------------------- */

/* A Unicode character as UTF-8. */
static size_t encode(uint32_t c, char out[4]) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    out[0] = (char)(lead[more] | (c >> (6 * more)));
    for (size_t k = 1; k <= more; k++)
        out[k] = (char)(0x80 | ((c >> (6 * (more - k))) & 0x3f));
    return more + 1;
}

static size_t unit_size(const matvar_t *v) {
    switch (v->data_type) {
    case MAT_T_UINT16:
    case MAT_T_INT16:
    case MAT_T_UTF16:
        return 2;
    case MAT_T_UINT32:
    case MAT_T_INT32:
    case MAT_T_UTF32:
        return 4;
    default:
        return 1;
    }
}

static uint32_t unit_at(const matvar_t *v, size_t i) {
    size_t size = unit_size(v);
    return size == 1   ? ((const uint8_t *)v->data)[i]
           : size == 2 ? ((const uint16_t *)v->data)[i]
                       : ((const uint32_t *)v->data)[i];
}

/* The characters of a row from units of 16 or 32 bits; bytes are taken as they are. Blanks at the end fill the rows
 * of a char array. A text that does not fit is cut. */
static size_t row_text(const matvar_t *v, size_t row, size_t units, char *text, size_t room) {
    size_t rows = v->dims[0] ? v->dims[0] : 1, used = 0;
    for (size_t c = 0; c < units && used + 4 < room; c++) {
        uint32_t unit = unit_at(v, c * rows + row);
        uint32_t low = c + 1 < units ? unit_at(v, (c + 1) * rows + row) : 0;
        if (unit_size(v) == 1) {
            text[used++] = (char)unit;
        } else if (unit >= 0xd800 && unit < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
            used += encode(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), text + used);
            c++;
        } else {
            bool good = unit < 0x110000 && (unit < 0xd800 || unit >= 0xe000);
            used += encode(good ? unit : 0xfffd, text + used);
        }
    }
    while (used > 0 && (text[used - 1] == ' ' || text[used - 1] == '\0'))
        used--;
    return used;
}

static void put_row(answer *a, const matvar_t *v, size_t row) {
    static char text[RM2I_MAT_TEXT_MAX];
    size_t units = v->data ? v->nbytes / unit_size(v) : 0;
    if (v->dims[0] > 1) /* a row of several; a single one may have more bytes than characters */
        units = units / v->dims[0] < v->dims[1] ? units / v->dims[0] : v->dims[1];
    put_text(a, text, row_text(v, row, units, text, sizeof text));
}

static void send_texts(answer *a, const char *name, const matvar_t *v, const kind *k) {
    bool cells = v->class_type == MAT_C_CELL;
    for (uint64_t i = 0; cells && i < k->shape[0]; i++)
        if (!is_line(((matvar_t *const *)v->data)[i])) {
            fail(a, RM2_ERR_FORMAT, "%s: array \"%.60s\" is damaged", a->request->path, name);
            return;
        }
    put_word(a, RM2_OK);
    put_word(a, k->shape[0]);
    for (size_t i = 0; i < (size_t)k->shape[0]; i++)
        put_row(a, cells ? ((matvar_t *const *)v->data)[i] : v, cells ? 0 : i);
    put_word(a, RM2I_MAT_END);
}

/* ---- the arrays in their order -------------------------------------------------------------- */

static void list_one(answer *a, const char *name, const kind *k) {
    put_word(a, 1);
    put_text(a, name, strlen(name));
    put_text(a, k->refusal, strlen(k->refusal));
    put_word(a, k->texts);
    put_word(a, k->dims);
    put(a, k->shape, k->dims * sizeof *k->shape);
}

static void send_one(answer *a, const char *name, matvar_t *v) {
    kind k;
    a->found = true;
    if (!rm2i_mat_is_whole(a->request, a->variable)) {
        fail(a, RM2_ERR_FORMAT,
             "%s: array \"%.60s\" is damaged: its bytes end too early, or their checksum is wrong",
             a->request->path, name);
        return;
    }
    int error = a->matio.VarReadDataAll(a->file, v);
    judge(a, v, &k); /* reading may change what a damaged file claims to be */
    if (error || k.refusal[0])
        fail(a, RM2_ERR_FORMAT, "%s: array \"%.60s\" is damaged: libmatio cannot read it",
             a->request->path, name);
    else if (k.texts)
        send_texts(a, name, v, &k);
    else
        send_numbers(a, name, v, &k);
}

static void meet(answer *a, const char *name, matvar_t *v) {
    kind k;
    if (a->next >= RM2I_MAT_LIST_MAX)
        return;
    size_t number = a->next++;
    judge(a, v, &k);
    if (a->request->index == SIZE_MAX)
        list_one(a, name, &k);
    else if (a->request->index == number)
        send_one(a, name, v);
}

static void visit(answer *a, const char *name, matvar_t *v, int depth) {
    bool one = v->class_type == MAT_C_STRUCT && v->rank > 0 && v->dims && count_of(v) == 1;
    if (!one || depth == DEPTH) {
        meet(a, name, v);
        return;
    }
    char *const *fields = a->matio.VarGetStructFieldnames(v);
    unsigned count = a->matio.VarGetNumberOfFields(v);
    for (unsigned k = 0; fields && k < count && !a->found; k++) {
        char inner[NAME_SIZE];
        matvar_t *field = a->matio.VarGetStructFieldByIndex(v, k, 0);
        (void)snprintf(inner, sizeof inner, "%.250s.%.250s", name, fields[k] ? fields[k] : "?");
        if (field)
            visit(a, inner, field, depth + 1);
    }
}

static void visit_all(answer *a) {
    matvar_t *v;
    while (a->good && !a->found && (v = a->matio.VarReadNextInfo(a->file))) {
        visit(a, v->name ? v->name : "?", v, 0);
        a->matio.VarFree(v);
        a->variable++;
    }
}

bool rm2i_mat_answer(const rm2i_mat_request *request, int out) {
    answer a = {.request = request, .out = out, .good = true};
    bool list = request->index == SIZE_MAX;
    const char *why = rm2i_matio_load(&a.matio);
    if (why) {
        fail(&a, RM2_ERR_UNSUPPORTED,
             "%s: cannot load %s, which reads MATLAB files: %s (Debian: install libmatio-dev)",
             request->path, RM2I_MATIO, why);
        return a.good;
    }
    a.file = a.matio.Open(request->path, MAT_ACC_RDONLY);
    if (!a.file) {
        fail(&a, RM2_ERR_FORMAT, "%s is not a MATLAB file of version 5, 7 or 7.3", request->path);
        return a.good;
    }
    if (list)
        put_word(&a, RM2_OK);
    visit_all(&a);
    if (list) {
        put_word(&a, 0);
        put_word(&a, RM2I_MAT_END);
    } else if (!a.found) {
        fail(&a, RM2_ERR_FORMAT, "%s has changed since its arrays were listed", request->path);
    }
    (void)a.matio.Close(a.file);
    return a.good;
}
