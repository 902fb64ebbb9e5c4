/* Reading the part of HDF5 that this library writes (docs/model-file.md):
 *
 *   superblock of version 2 -> root group
 *   object header of version 2, in blocks; a group's has links, a dataset's dataspace, datatype, layout
 *   values in one piece
 *
 *   tree.c      superblock, groups and datasets
 *   header.c    object headers: blocks, checksums, messages one by one
 *   message.c   what a single message says
 *
 * Nothing in a file is trusted. Every structure claims its bytes: they must be inside the file, and all
 * claims together may not exceed it, so that every loop ends; at the end no two claims may overlap, so that
 * no structure contains itself. There is no recursion. Only the forms of form.h and those that libhdf5
 * wrote for earlier versions are accepted. */
#ifndef RM2I_HDF5_TREE_H
#define RM2I_HDF5_TREE_H

#include "base/base.h"
#include "riemann2/io.h"

typedef enum rm2i_h5_kind {
    RM2I_H5_GROUP,
    RM2I_H5_DOUBLES,
    RM2I_H5_SIZES,
    RM2I_H5_TEXTS
} rm2i_h5_kind;

/* A group or dataset. */
typedef struct rm2i_h5_object {
    const unsigned char *name; /* in the file, without NUL */
    size_t length;
    uint64_t header; /* where its object header is */
    rm2i_h5_kind kind;
    size_t count; /* members of a group, elements of a dataset */
    size_t first; /* number of a group's first member: they follow each other, ordered by name */
    size_t dims, shape[RM2_ARRAY_MAX_DIMS];
    size_t width;                /* bytes of an element */
    uint64_t at;                 /* where its values are in the file */
    const unsigned char *values; /* in memory; NULL: no elements, or not there */
} rm2i_h5_object;

/* A file behind a good seal; of its `whole` bytes the first `size` are in memory, with all structures. */
typedef struct rm2i_h5_file {
    const char *name;
    const unsigned char *bytes;
    uint64_t size, whole;
} rm2i_h5_file;

/* The objects of a file; the first is the root group. *objects is the caller's to free, and NULL on failure. */
rm2_status rm2i_h5_tree(rm2_context *ctx, const rm2i_h5_file *file, rm2i_h5_object **objects);

/* ---- shared by the three files -------------------------------------------------------------- */

/* Bytes of one structure; `messages` is where those of a block of an object header begin. */
typedef struct rm2i_h5_span {
    uint64_t at, size, messages;
} rm2i_h5_span;

/* Positions are bytes from the beginning of the file; HDF5's addresses count from the superblock. */
typedef struct rm2i_h5_parser {
    rm2_context *ctx;
    const char *name; /* of the file */
    const unsigned char *bytes;
    uint64_t size;  /* bytes in memory: structures are among them */
    uint64_t whole; /* bytes of the file: values may be behind */
    rm2i_h5_object *objects;
    size_t count, capacity;
    rm2i_h5_span *spans;
    size_t span_count, span_capacity;
    uint64_t claimed; /* bytes of all spans */
} rm2i_h5_parser;

/* Room for one more element of an array that has `count`, here and where files are written. */
rm2_status rm2i_h5_reserve(rm2_context *ctx, size_t count, size_t size, size_t *capacity,
                           void *array);

/* RM2_ERR_FORMAT: "FILE: not written by riemann2: ... (byte `at`)". */
rm2_status rm2i_h5_refuse(const rm2i_h5_parser *p, uint64_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Position of the address of a structure, which must be in memory. `from`: where it is written. */
rm2_status rm2i_h5_position(const rm2i_h5_parser *p, uint64_t from, uint64_t address, uint64_t *at);

/* The bytes at->size of the span are taken by one structure. */
rm2_status rm2i_h5_claim(rm2i_h5_parser *p, rm2i_h5_span span);

typedef struct rm2i_h5_message {
    unsigned type;
    const unsigned char *bytes;
    size_t size;
    uint64_t at; /* position of the bytes */
} rm2i_h5_message;

typedef rm2_status (*rm2i_h5_message_fn)(void *user, const rm2i_h5_message *message);

/* All messages of the object header at a position, but those that only continue it. `take` must not claim
 * anything. */
rm2_status rm2i_h5_each_message(rm2i_h5_parser *p, uint64_t header, rm2i_h5_message_fn take,
                                void *user);

/* What single messages say. A dataspace sets dims, shape and count, a datatype kind and width. */
rm2_status rm2i_h5_dataspace(const rm2i_h5_parser *p, const rm2i_h5_message *m,
                             rm2i_h5_object *object);
rm2_status rm2i_h5_datatype(const rm2i_h5_parser *p, const rm2i_h5_message *m,
                            rm2i_h5_object *object);
/* Address (which may be none) and size of the values. */
rm2_status rm2i_h5_layout(const rm2i_h5_parser *p, const rm2i_h5_message *m, uint64_t *address,
                          uint64_t *size);
rm2_status rm2i_h5_link(const rm2i_h5_parser *p, const rm2i_h5_message *m, rm2i_h5_object *object);
/* Messages of which only the form is checked: fill value, link info, group info. */
rm2_status rm2i_h5_form(const rm2i_h5_parser *p, const rm2i_h5_message *m);

enum rm2i_h5_message_type {
    RM2I_H5_NIL = 0,
    RM2I_H5_DATASPACE = 1,
    RM2I_H5_LINK_INFO = 2,
    RM2I_H5_DATATYPE = 3,
    RM2I_H5_FILL = 5,
    RM2I_H5_LINK = 6,
    RM2I_H5_LAYOUT = 8,
    RM2I_H5_GROUP_INFO = 10,
    RM2I_H5_CONTINUATION = 16
};

#endif
