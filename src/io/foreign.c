/* Files of other programs, by their endings: what they are, and the way to numbers that are read here. */
#include <stdio.h>
#include <string.h>

#include "io/io.h"

typedef struct foreign {
    const char *endings; /* each with a blank after it */
    const char *what;
    const char *way; /* %s: the file */
} foreign;

#define PYTHON "; save its numbers in Python: import numpy, "
static const foreign known[] = {
    {".nii .nii.gz .mgh .mgz ", "an image, which is not read here",
     PYTHON "nibabel; x = nibabel.load('%s').get_fdata(); "
            "numpy.save('data.npy', x.reshape(-1, x.shape[-1]).T) (one row per volume)"},
    {".gii ", "a GIfTI file, which is not read here",
     PYTHON "nibabel; x = nibabel.load('%s').darrays; numpy.save('data.npy', [d.data for d in x])"},
    {".edf .bdf .gdf .fif .fif.gz .vhdr .cnt .set ", "a recording, which is not read here",
     PYTHON "mne; x = mne.io.read_raw('%s').get_data(); numpy.save('data.npy', x.T) (one row per "
            "sample)"},
    {".h5 .hdf5 ", "an HDF5 file, whose layout is not known here",
     PYTHON "h5py; x = h5py.File('%s')['NAME'][()]; numpy.save('data.npy', x)"},
    {".pkl .pickle .joblib ", "a pickle, which may run code when it is read",
     PYTHON "pickle; x = pickle.load(open('%s', 'rb')); numpy.save('data.npy', numpy.asarray(x))"},
    {".xls .xlsx .ods ", "a spreadsheet, which is not read here", ": export %s as CSV"},
    {".parquet .feather .arrow ", "a table of Apache Arrow, which is not read here",
     ": pandas.read_parquet('%s').to_csv('data.csv', index=False)"},
    {".mat ", "a MATLAB file",
     ": %s needs libriemann2-mat, which is built where libmatio is found (Debian: libmatio-dev; "
     "CMake: RM2_MAT=ON), and rm2_mat_register; or save CSV with writematrix"},
};

static bool ends_in_one_of(const char *path, const char *endings) {
    for (const char *next; (next = strchr(endings, ' ')); endings = next + 1) {
        char ending[16];
        (void)snprintf(ending, sizeof ending, "%.*s", (int)(next - endings), endings);
        if (rm2i_has_extension(path, ending))
            return true;
    }
    return false;
}

/* A format of named arrays that the context knows is foreign where a table of text is read. */
static rm2_status refuse_arrays(rm2_context *ctx, const char *path) {
    const rm2_archive_format *f;
    for (size_t i = 0; (f = rm2i_context_format(ctx, i)); i++)
        if (rm2i_has_extension(path, f->extension))
            return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                             "%s: a table of text (.csv, .tsv, .txt) is expected here", path);
    return RM2_OK;
}

rm2_status rm2i_refuse_foreign(rm2_context *ctx, const char *path) {
    RM2_TRY(refuse_arrays(ctx, path));
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (!ends_in_one_of(path, known[k].endings))
            continue;
        const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
        const char *way = known[k].way, *place = strstr(way, "%s");
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED, "%s is %s%.*s%.200s%s", path, known[k].what,
                         (int)(place - way), way, name, place + 2);
    }
    return RM2_OK;
}
