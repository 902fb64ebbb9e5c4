/* A model file as earlier versions of the library wrote it, with libhdf5. */
#ifndef H5_LIBRARY_H
#define H5_LIBRARY_H

#include <stddef.h>

/* a/X (2 x 3: 1 to 6), a/b/noise (1), a/empty (0 x 3), starts (0, 7, SIZE_MAX), spec ("R3 x S3"), ids ("", "b", "cc"),
 * none (no texts). With a seal; the caller frees it. */
unsigned char *h5_library_file(size_t *size);

#endif
