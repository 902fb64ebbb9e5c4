/* Files as libhdf5 wrote them for earlier versions: format 1.8, links in lists, no times, headers in several blocks. */
#include "h5_library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <hdf5.h>

#include "hdf5/seal.h"

enum { MOST = 1 << 16, LINKS = 60000 };

static hid_t properties(hid_t class) {
    hid_t creation = H5Pcreate(class);
    assert_true(creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0);
    return creation;
}

static hid_t create_file(const char *path) {
    hid_t creation = properties(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(H5Pset_link_phase_change(creation, LINKS, 0) >= 0);
    assert_true(H5Pset_userblock(creation, RM2I_H5_BLOCK) >= 0);
    assert_true(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    assert_true(file >= 0 && H5Pclose(creation) >= 0 && H5Pclose(access) >= 0);
    return file;
}

static void add_group(hid_t file, const char *name) {
    hid_t creation = properties(H5P_GROUP_CREATE);
    assert_true(H5Pset_link_phase_change(creation, LINKS, 0) >= 0);
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(group >= 0 && H5Gclose(group) >= 0 && H5Pclose(creation) >= 0);
}

typedef struct dataset {
    const char *name;
    hid_t type;
    int dims;
    hsize_t shape[2];
    const void *values; /* NULL: it has none */
} dataset;

static void add_dataset(hid_t file, const dataset *d) {
    hid_t creation = properties(H5P_DATASET_CREATE);
    hid_t space = d->dims ? H5Screate_simple(d->dims, d->shape, NULL) : H5Screate(H5S_SCALAR);
    assert_true(H5Pset_dset_no_attrs_hint(creation, true) >= 0);
    hid_t set = H5Dcreate2(file, d->name, d->type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(!d->values ||
                H5Dwrite(set, d->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, d->values) >= 0);
    assert_true(H5Dclose(set) >= 0 && H5Sclose(space) >= 0 && H5Pclose(creation) >= 0);
}

static hid_t text_of(size_t width) {
    hid_t type = H5Tcopy(H5T_C_S1);
    assert_true(H5Tset_size(type, width) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0);
    return type;
}

static void fill(hid_t file) {
    static const double x[6] = {1, 2, 3, 4, 5, 6};
    static const uint64_t starts[3] = {0, 7, UINT64_MAX};
    static const char ids[3][3] = {"", "b", "cc"};
    hid_t spec = text_of(8), id = text_of(3), none = text_of(1);
    const dataset sets[] = {{"a/X", H5T_IEEE_F64LE, 2, {2, 3}, x},
                            {"a/b/noise", H5T_IEEE_F64LE, 0, {0}, x},
                            {"a/empty", H5T_IEEE_F64LE, 2, {0, 3}, NULL},
                            {"starts", H5T_STD_U64LE, 1, {3}, starts},
                            {"spec", spec, 0, {0}, "R3 x S3"},
                            {"ids", id, 1, {3}, ids},
                            {"none", none, 1, {0}, NULL}};
    add_group(file, "a");
    add_group(file, "a/b");
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
        add_dataset(file, &sets[k]);
    assert_true(H5Tclose(spec) >= 0 && H5Tclose(id) >= 0 && H5Tclose(none) >= 0);
}

unsigned char *h5_library_file(size_t *size) {
    char path[] = "/tmp/rm2-test-library-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0);
    hid_t file = create_file(path);
    fill(file);
    assert_true(H5Fclose(file) >= 0);
    FILE *stream = fopen(path, "rb");
    unsigned char *bytes = malloc(MOST);
    assert_true(stream && bytes);
    *size = fread(bytes, 1, MOST, stream);
    assert_true(*size < MOST && fclose(stream) == 0 && unlink(path) == 0);
    rm2i_h5_seal(bytes, *size);
    return bytes;
}
