/* Files of named arrays inside the library: archive.c knows the formats, npz_read.c is one of them. */
#ifndef RM2I_ARCHIVE_H
#define RM2I_ARCHIVE_H

#include "riemann2/io.h"

extern const rm2_archive_format rm2i_npz_format;

#endif
