/* libmatio as the reading process finds it: loaded there and nowhere else, with libhdf5 and what that loads, so that
 * programs which read no MATLAB file start without them. */
#ifndef RM2I_MAT_LIBRARY_H
#define RM2I_MAT_LIBRARY_H

#include <matio.h>

/* Its functions, without Mat_. */
typedef struct rm2i_matio {
    __typeof__(&Mat_Open) Open;
    __typeof__(&Mat_Close) Close;
    __typeof__(&Mat_VarReadNextInfo) VarReadNextInfo;
    __typeof__(&Mat_VarReadDataAll) VarReadDataAll;
    __typeof__(&Mat_VarFree) VarFree;
    __typeof__(&Mat_VarGetStructFieldnames) VarGetStructFieldnames;
    __typeof__(&Mat_VarGetNumberOfFields) VarGetNumberOfFields;
    __typeof__(&Mat_VarGetStructFieldByIndex) VarGetStructFieldByIndex;
} rm2i_matio;

/* NULL, or why it cannot be loaded. */
const char *rm2i_matio_load(rm2i_matio *matio);

#endif
